/**
 * What drivers implement for statements that come from files: the calls of a run ({@link
 * io.shardload.workload.statements.port.StatementStore}) and what is done around it ({@link
 * io.shardload.workload.statements.port.StatementAdmin}).
 */
package io.shardload.workload.statements.port;
