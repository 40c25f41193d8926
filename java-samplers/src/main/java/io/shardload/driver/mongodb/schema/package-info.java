/**
 * The collection as the section {@code schema} of a target asks for it: its indexes, and on a
 * sharded cluster its shard key, chunks and zones. It is created once; an existing collection is
 * compared with the requested one, and refused if it differs. The definition itself is the file
 * {@code schemas/document-store/mongodb.json}.
 */
package io.shardload.driver.mongodb.schema;
