/** Checks from files: queries that must return nothing, and pairs of queries that must agree. */
package io.shardload.workload.statements.checks;
