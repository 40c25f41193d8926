/**
 * Faults on schedule: injects them into the servers while the load goes on, asks the servers
 * whether they answer, and writes down when what happened. Only the controller's child does this;
 * the generators know nothing of it.
 */
package io.shardload.faults;
