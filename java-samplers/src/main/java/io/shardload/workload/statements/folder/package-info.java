/**
 * Reads a folder of statement files: the allowed files, their content, and the allowed statements
 * of each kind.
 */
package io.shardload.workload.statements.folder;
