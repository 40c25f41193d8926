/**
 * What drivers implement for statements that come from files: the calls of a run ({@link
 * io.shardload.workload.statements.port.StatementStore}) and the operations before and after it
 * ({@link io.shardload.workload.statements.port.StatementAdmin}).
 */
package io.shardload.workload.statements.port;
