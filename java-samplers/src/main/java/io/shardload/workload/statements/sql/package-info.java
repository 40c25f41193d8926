/**
 * SQL as far as a load needs it: where a statement ends, where its parameters are, and whether it
 * writes. The server does the rest.
 */
package io.shardload.workload.statements.sql;
