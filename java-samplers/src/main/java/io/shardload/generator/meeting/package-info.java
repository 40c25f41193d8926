/**
 * What a generator asks of the others of its run and of whoever starts and stops them: a common
 * start, the permission to write, ranges of new ordinals; and what it reports. In one process of
 * its own all of this is local.
 */
package io.shardload.generator.meeting;
