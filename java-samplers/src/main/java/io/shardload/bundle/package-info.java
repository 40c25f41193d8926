/**
 * The format of a run bundle: names of files, writing them, reading them. This package judges
 * nothing and depends on no other package of shardload. {@code docs/results.md} describes the files
 * and the fields of a ledger line.
 *
 * <p>Files of a bundle, in the order in which they come into being:
 *
 * <ul>
 *   <li>{@code run.json}, {@code config.yml}: the controller writes them after the data set is
 *       loaded. For a generator without a controller, {@code sampler.SharedGenerator} writes
 *       run.json.
 *   <li>{@code environment.json}, {@code evidence.json}: the verb {@code begin} writes them before
 *       the run; the verb {@code verify} adds what is known only after it. evidence.json is
 *       optional.
 *   <li>{@code journal/begun.json}: {@code verify.BegunRun} writes it at the start of the run; the
 *       verification that settles the data set records this in it.
 *   <li>{@code latencies/generator-N}: each generator appends to its own with {@link
 *       io.shardload.bundle.BundleFiles}. An interval is a second; in a run that is planned to take
 *       over an hour it is so many seconds that a series has at most 3600 intervals. What comes
 *       after these, as when calls hang at the end, is part of the last interval.
 *   <li>{@code latencies/merged}: the same of all generators together, in a run with load hosts.
 *       There {@code generator-N.hlog} has one histogram per tag and segment, written at the end,
 *       and is empty for a generator that was lost.
 *   <li>{@code live/generator-N.K}: the same in intervals of a second, for programs that follow a
 *       run of over an hour; minute K of it, and only the last three. {@link
 *       io.shardload.bundle.LiveFiles} writes them. The controller removes them when every
 *       generator has written its final line.
 *   <li>{@code journal/generator-N.jnl}: each generator appends to its own; {@code
 *       keys.FileJournal} owns the header and the blocks.
 *   <li>On a load host, in addition to the files of its generator: {@code
 *       latencies/generator-N.segments.hlog}, one histogram per tag and segment as the controller
 *       keeps it, and {@code samples.jtl}.
 *   <li>{@code verification.json}, {@code hosts.json}, {@code outcome.json}: written after the run,
 *       in this order. For a generator without a controller {@code sampler.SharedGenerator} writes
 *       outcome.json.
 *   <li>{@code summary.json}, {@code report.html}, {@code junit.xml}: the verb {@code finish}
 *       writes them last, and again on request.
 * </ul>
 *
 * <p>{@link io.shardload.bundle.BundleLayout} names the files. {@link
 * io.shardload.bundle.WholeFile} writes those that do not grow. {@link
 * io.shardload.bundle.BundleReader} reads a bundle as it was left, also one that was cut off, into
 * a {@link io.shardload.bundle.Bundle}. Ledger lines stay in their file: a {@link
 * io.shardload.bundle.GeneratorLog} reads them as often as asked. {@link
 * io.shardload.bundle.HistogramLines} reads the histograms one interval at a time, and {@code
 * bundle.histogram} adds them. What cannot be read becomes a problem in words. Memory does not grow
 * with the length of a run.
 */
package io.shardload.bundle;
