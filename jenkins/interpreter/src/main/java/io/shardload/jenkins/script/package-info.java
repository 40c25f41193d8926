/** A Jenkinsfile as a Groovy script: what its names mean and what its sections contain. */
package io.shardload.jenkins.script;
