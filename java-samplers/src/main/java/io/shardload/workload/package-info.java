/**
 * Transactions, their calls and outcomes, in terms that are independent of drivers, JMeter and
 * metrics.
 */
package io.shardload.workload;
