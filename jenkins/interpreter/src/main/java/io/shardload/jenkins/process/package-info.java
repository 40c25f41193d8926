/** The processes of a build: how a {@code sh} step starts them and how Jenkins ends them. */
package io.shardload.jenkins.process;
