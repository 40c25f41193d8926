/**
 * The format of a run bundle: names of files, writing them, reading them. This package judges
 * nothing and depends on no other package of shardload. {@code docs/results.md} describes the files
 * and the fields of a ledger line.
 *
 * <p>The files come into being in this order:
 *
 * <ul>
 *   <li>{@code run.json}, {@code config.yml}: the controller writes them after the data set is
 *       loaded. For a generator without a controller, {@code sampler.SharedGenerator} writes
 *       run.json, and outcome.json at the end.
 *   <li>{@code environment.json}, {@code evidence.json}: the verb {@code begin}; the verb {@code
 *       verify} adds what is known only after the run.
 *   <li>{@code journal/begun.json}: {@code verify.BegunRun}; the verification that settles the data
 *       set records this in it.
 *   <li>{@code latencies/}, {@code live/}, {@code journal/}: each generator appends to its own
 *       files. What comes after the last interval, as when calls hang at the end, is part of it. In
 *       a run with load hosts {@code generator-N.hlog} has one histogram per tag and segment,
 *       written at the end, and is empty for a generator that was lost.
 *   <li>{@code sessions.jsonl}, and in a run with faults {@code faults.jsonl}: during the run, by
 *       the controller.
 *   <li>{@code verification.json}, {@code hosts.json}, {@code outcome.json}: after the run.
 *   <li>{@code summary.json}, {@code report.html}, {@code junit.xml}: the verb {@code finish}, and
 *       again on request.
 * </ul>
 *
 * <p>{@link io.shardload.bundle.BundleLayout} names the files. {@link
 * io.shardload.bundle.BundleReader} reads a bundle as it was left, also one that was cut off. What
 * cannot be read becomes a problem in words. Ledger lines and histograms stay in their files and
 * are read one at a time, so memory does not grow with the length of a run.
 */
package io.shardload.bundle;
