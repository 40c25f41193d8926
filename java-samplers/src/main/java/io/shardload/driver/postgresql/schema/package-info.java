/**
 * The table as the section {@code schema} of a target asks for it: columns, indexes, the storage of
 * documents and, on Citus, the distribution. It is created once; an existing table is compared with
 * the requested one, and refused if it differs. The definition itself is a file in {@code
 * schemas/document-store}.
 */
package io.shardload.driver.postgresql.schema;
