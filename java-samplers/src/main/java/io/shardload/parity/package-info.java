/**
 * Checks whether targets give the same answers. All targets get the same data and the same calls
 * with the same arguments; their answers are compared with each other, and the rows with what the
 * workload declares.
 */
package io.shardload.parity;
