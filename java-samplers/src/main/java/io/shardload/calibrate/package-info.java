/**
 * The verb {@code calibrate}: the cost of the harness, compared with a program without a harness,
 * and judged by the goals in {@code docs/overhead.md}.
 *
 * <p>Each side is a JVM of its own that stays alive through all rounds ({@link
 * io.shardload.calibrate.Bench}), so that the sides do not influence each other's compiled code. A
 * round measures one side after the other, in alternating order, so that a disturbance that is
 * longer than a round affects both sides. The harness is the production path, unchanged: a JMeter
 * engine whose threads run {@code TransactionSampler}, everything recorded into a bundle; its
 * figures are read from that bundle's ledger lines.
 *
 * <p>A ratio is the mean of the rounds' log-ratios with Student's 95 % interval ({@link
 * io.shardload.statistics.Interval}). A goal is met if the whole interval is on the right side of
 * it, missed if the whole interval is on the wrong side, and undecided otherwise.
 */
package io.shardload.calibrate;
