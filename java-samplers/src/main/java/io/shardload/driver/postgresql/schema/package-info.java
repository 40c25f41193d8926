/**
 * The table as the section {@code schema} of a target asks for it: columns, indexes, the storage of
 * documents and, on Citus, the distribution. It is created once; a table that is there is compared
 * with what is asked, and refused if it differs. The definition itself is a file in {@code
 * schemas/document-store}.
 */
package io.shardload.driver.postgresql.schema;
