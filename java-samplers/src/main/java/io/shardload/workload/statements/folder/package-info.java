/**
 * Reads a folder of statement files: which files there may be, what stands in them, and what the
 * statements of each kind may do.
 */
package io.shardload.workload.statements.folder;
