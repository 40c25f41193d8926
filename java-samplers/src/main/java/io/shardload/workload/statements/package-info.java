/**
 * Workloads from folders: the user's own tables, statements and checks as files, with parameters
 * that are pure functions of seed and arrival. Single documents are not tracked: after a run,
 * checks show whether the data is right as a whole.
 */
package io.shardload.workload.statements;
