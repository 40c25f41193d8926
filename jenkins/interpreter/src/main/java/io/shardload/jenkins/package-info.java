/**
 * A linter and an interpreter for declarative Jenkinsfiles, so that a pipeline is tested without a
 * Jenkins server.
 *
 * <p>Both refuse every section, option, step and argument that they do not know. The semantics
 * follow the sources of Jenkins and its plugins; a class that implements one names the original
 * class.
 */
package io.shardload.jenkins;
