/** Which ordinals exist, who owns them and what is known of each. */
package io.shardload.keys;
