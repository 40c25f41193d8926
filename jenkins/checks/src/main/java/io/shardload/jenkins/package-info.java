/**
 * Checks Jenkinsfiles without a Jenkins and prints them as JSON, for the tests in {@code
 * jenkins/tests}.
 *
 * <p>Groovy's own parser reads a file. What this project does not use of the declarative syntax, of
 * the steps and of Groovy is refused.
 */
package io.shardload.jenkins;
