/**
 * Verifies data whose single documents are not tracked: the ledgers count what the calls of a run
 * did, and the workload's checks may use these counts.
 */
package io.shardload.verify.checked;
