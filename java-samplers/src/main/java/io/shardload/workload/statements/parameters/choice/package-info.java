/**
 * How a draw selects one of n values, in addition to the distributions of {@link
 * io.shardload.data}.
 */
package io.shardload.workload.statements.parameters.choice;
