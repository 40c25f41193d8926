/**
 * Collections as the schema files of a folder and the section {@code schema} of a target ask for
 * them: their indexes, and on a sharded cluster shard key, chunks and zones. They are created once;
 * an existing collection is compared with the requested one, and refused if it differs.
 */
package io.shardload.driver.mongodb.schema;
