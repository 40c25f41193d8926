/**
 * Statements that come from files, by JDBC: the calls of a run ({@link
 * io.shardload.driver.jdbc.statements.SqlStatementStore}) and the operations before and after it
 * ({@link io.shardload.driver.jdbc.statements.SqlStatementAdmin}). What a system has of its own is
 * in {@link io.shardload.driver.jdbc.statements.Dialect}.
 */
package io.shardload.driver.jdbc.statements;
