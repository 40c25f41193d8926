/**
 * Checks a declarative Jenkinsfile without running it: the grammar of Jenkins, and the rules of
 * this project ({@link io.shardload.jenkins.lint.ProjectRules}, {@link
 * io.shardload.jenkins.lint.ShellRules}).
 */
package io.shardload.jenkins.lint;
