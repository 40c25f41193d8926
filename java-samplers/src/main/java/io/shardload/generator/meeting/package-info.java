/**
 * What a generator needs from the other generators and from the controller: a common start, the
 * permission to write, ranges of new ordinals; and what it reports. For a single process all of
 * this is local.
 */
package io.shardload.generator.meeting;
