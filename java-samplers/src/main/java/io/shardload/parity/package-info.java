/**
 * Checks whether targets give the same answers. All targets get the same data and the same calls
 * with the same arguments; their answers are compared with each other and with the answers that the
 * workload computes.
 */
package io.shardload.parity;
