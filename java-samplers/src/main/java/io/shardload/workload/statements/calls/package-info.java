/** The calls of a run with statements from files, and the judgement of their answers. */
package io.shardload.workload.statements.calls;
