/** Which of n values a draw takes, beyond the distributions of {@link io.shardload.data}. */
package io.shardload.workload.statements.parameters.choice;
