/** Which Groovy code a Jenkinsfile may contain, as the sandbox of Jenkins. */
package io.shardload.jenkins.sandbox;
