/**
 * Values as pure functions of an index, seeded streams and distributions. Independent of documents
 * and databases.
 */
package io.shardload.data;
