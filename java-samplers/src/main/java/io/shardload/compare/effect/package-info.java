/**
 * What rounds of runs show of one figure of a side against the base, and whether it is judged. The
 * package {@code io.shardload.compare} describes the method.
 */
package io.shardload.compare.effect;
