/**
 * The section {@code schema} of a target: indexes, the storage of documents and, on Citus, the
 * distribution. The statements that make the tables belong to the workload's folder.
 */
package io.shardload.driver.postgresql.schema;
