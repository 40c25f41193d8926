/**
 * Statements that come from files: the calls of a run ({@link
 * io.shardload.driver.postgresql.statements.PostgresqlStatementStore}) and the operations before
 * and after it ({@link io.shardload.driver.postgresql.statements.PostgresqlStatementAdmin}).
 */
package io.shardload.driver.postgresql.statements;
