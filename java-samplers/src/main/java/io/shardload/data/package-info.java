/**
 * Values as pure functions of an index, seeded streams and distributions. Knows nothing of
 * documents or databases.
 */
package io.shardload.data;
