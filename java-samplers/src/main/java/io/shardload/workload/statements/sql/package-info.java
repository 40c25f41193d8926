/**
 * The parts of SQL that a load needs: where a statement ends, where its parameters are, and whether
 * it writes. The server does the rest.
 */
package io.shardload.workload.statements.sql;
