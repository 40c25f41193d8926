/**
 * The definitions of transactions and checks in {@code workload.yml}, joined with their statements.
 */
package io.shardload.workload.statements.definition;
