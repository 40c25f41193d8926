/** Where new ordinals come from; the only importer of jedis. */
package io.shardload.keys.ranges;
