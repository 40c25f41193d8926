/** A thin client of Redis; the only importer of jedis. */
package io.shardload.redis;
