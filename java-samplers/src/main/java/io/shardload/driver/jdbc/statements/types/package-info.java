/** A server's types: how values go there and come back, and which ones a statement has. */
package io.shardload.driver.jdbc.statements.types;
