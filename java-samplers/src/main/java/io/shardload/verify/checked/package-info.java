/**
 * The verification of data whose documents nobody follows: what the calls of a run did by its
 * ledgers, and the workload's checks, which may use these counts.
 */
package io.shardload.verify.checked;
