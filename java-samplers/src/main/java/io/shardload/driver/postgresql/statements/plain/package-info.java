/**
 * The statements of a folder in a plain loop on pgjdbc, to compare the harness with; see {@link
 * io.shardload.workload.statements.baseline.StatementBaseline}.
 */
package io.shardload.driver.postgresql.statements.plain;
