/**
 * Whether targets give the same answers: the same data, the same calls with the same arguments, and
 * what came back compared with each other and with what the workload itself says.
 */
package io.shardload.parity;
