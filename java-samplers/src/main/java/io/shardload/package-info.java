/** shardload's Java side: the JMeter plugin and the controller's child process. */
package io.shardload;
