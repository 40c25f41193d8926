/**
 * Values of parameters and columns: pure functions of a seed and a number, or drawn from lists that
 * were read before the run.
 */
package io.shardload.workload.statements.parameters;
