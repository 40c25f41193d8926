/** Lists of values that were read before a run: from CSV files, or from the answer of a query. */
package io.shardload.workload.statements.parameters.lists;
