/**
 * What a run measured, added over its generators and never averaged; nothing here judges it.
 *
 * <p>{@link io.shardload.results.measured.Segments} says which parts of the schedule the run
 * reached, {@link io.shardload.results.measured.Ledgers} adds the counters and checks the
 * equations, {@link io.shardload.results.measured.Distributions} adds the histograms, {@link
 * io.shardload.results.measured.Percentiles} takes quantiles from them, {@link
 * io.shardload.results.measured.Timeline} shows both over time, and {@link
 * io.shardload.results.measured.Cpu} says what the generators used.
 */
package io.shardload.results.measured;
