/**
 * Statements from files on PostgreSQL and Citus: the calls of a run, and what is done around it.
 */
package io.shardload.driver.postgresql.statements;
