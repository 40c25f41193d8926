/** The steps of a pipeline. */
package io.shardload.jenkins.step;
