/** The tables of a workload from files: made, loaded and described. */
package io.shardload.workload.statements.data;
