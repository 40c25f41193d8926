/** Reads a folder of statement files: which there are, and what stands in them. */
package io.shardload.workload.statements.folder;
