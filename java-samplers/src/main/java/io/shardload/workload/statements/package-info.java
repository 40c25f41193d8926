/**
 * Workloads from folders: one's own tables, statements and checks as files, with parameters that
 * are pure functions of seed and arrival. Single documents are not followed: after a run, checks
 * say whether the data is right as a whole.
 */
package io.shardload.workload.statements;
