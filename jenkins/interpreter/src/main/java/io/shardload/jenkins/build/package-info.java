/** The state of a build: its set-up, environment, log, result and record. */
package io.shardload.jenkins.build;
