/** Executes a declarative Jenkinsfile and records what it did. */
package io.shardload.jenkins.run;
