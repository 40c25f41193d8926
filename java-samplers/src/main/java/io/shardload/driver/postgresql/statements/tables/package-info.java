/** The tables of a folder on a server, and what else its schema file makes. */
package io.shardload.driver.postgresql.statements.tables;
