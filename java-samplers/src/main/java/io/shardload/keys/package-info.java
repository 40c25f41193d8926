/** Which ordinals exist, who owns them and what is known of each; the only importer of jedis. */
package io.shardload.keys;
