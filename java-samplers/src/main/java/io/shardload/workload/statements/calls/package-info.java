/** The calls of a run with statements from files, and the checks of their answers. */
package io.shardload.workload.statements.calls;
