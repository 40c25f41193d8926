/**
 * From a run bundle to its results: the only judge of a run.
 *
 * <p>{@link io.shardload.results.Segments} says what the result covers, {@link
 * io.shardload.results.Ledgers} adds the counters and checks the equations, {@link
 * io.shardload.results.Distributions} adds the histograms, {@link io.shardload.results.Percentiles}
 * takes quantiles from them, {@link io.shardload.results.Step} judges rates, {@link
 * io.shardload.results.Verdict} decides the exit code and {@link io.shardload.results.Summary} puts
 * it all into {@code summary.json}. {@link io.shardload.results.RecordedRun} is the same for those
 * who compare runs. Generators are added, never averaged.
 */
package io.shardload.results;
