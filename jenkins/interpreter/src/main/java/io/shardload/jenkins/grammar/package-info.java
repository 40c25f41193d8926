/** What a declarative Jenkinsfile may contain: sections, options, steps and their arguments. */
package io.shardload.jenkins.grammar;
