/** Cuts files of SQL into statements, and these at their parameters; knows no server's grammar. */
package io.shardload.workload.statements.sql;
