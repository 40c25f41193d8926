/**
 * From a run bundle to its results: the only judge of a run.
 *
 * <p>{@link io.shardload.results.measured} holds what was measured. {@link
 * io.shardload.results.Step} judges rates, {@link io.shardload.results.Capacity} finds the highest
 * step that was sustained, {@link io.shardload.results.Bottleneck} names what bounds the load,
 * {@link io.shardload.results.Verdict} decides the exit code and {@link
 * io.shardload.results.Summary} writes all of this to {@code summary.json}. {@link
 * io.shardload.results.RecordedRun} holds the results of a run for the comparison of runs.
 */
package io.shardload.results;
