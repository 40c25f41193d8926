package io.shardload.generator.meeting;

/**
 * The moment from which all due times count.
 *
 * @param nanoTime by this process's monotonic clock
 * @param epochMillis the same moment by the clock that all generators of the run share
 */
public record Start(long nanoTime, long epochMillis) {}
