/** Where new ordinals come from. */
package io.shardload.keys.ranges;
