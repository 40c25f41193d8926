/** The tables of a workload from files: creation, load and description. */
package io.shardload.workload.statements.data;
