/** PostgreSQL's types, and which ones a statement has. */
package io.shardload.driver.postgresql.statements.types;
