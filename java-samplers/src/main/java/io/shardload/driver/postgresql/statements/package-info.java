/**
 * What statements from files need of PostgreSQL's own: their types, and the operations before and
 * after a run ({@link io.shardload.driver.postgresql.statements.PostgresqlStatementAdmin}).
 */
package io.shardload.driver.postgresql.statements;
