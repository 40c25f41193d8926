/** What {@code workload.yml} says of transactions and checks, joined with their statements. */
package io.shardload.workload.statements.definition;
