/**
 * Transactions, their calls and outcomes, in words that no driver, no JMeter and no metric appears
 * in.
 */
package io.shardload.workload;
