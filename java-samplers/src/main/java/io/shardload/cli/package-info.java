/** The verbs of the controller's child process. */
package io.shardload.cli;
