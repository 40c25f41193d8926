/**
 * The verb {@code calibrate}: what the harness itself costs, measured side by side with what one
 * would write by hand, against the goals in {@code docs/overhead.md}.
 *
 * <p>Each side is a JVM of its own that stays alive through all rounds ({@link
 * io.shardload.calibrate.Bench}), so that neither side's compiled code knows of the other; a round
 * measures one side after the other, in turns, so that what disturbs the machine for longer than a
 * round disturbs both. The harness is the production path, unchanged: a JMeter engine whose threads
 * run {@code TransactionSampler}, everything recorded into a bundle; its figures are read from that
 * bundle's ledger lines.
 *
 * <p>A ratio is the mean of the rounds' log-ratios with Student's 95 % interval ({@link
 * io.shardload.statistics.Interval}). A goal is met when the interval lies wholly on the right side
 * of it, missed when wholly on the other, else undecided.
 */
package io.shardload.calibrate;
