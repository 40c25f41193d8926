/**
 * The verb {@code compare}: runs side by side, and what may be concluded from them.
 *
 * <p>{@link io.shardload.compare.Sides} groups bundles into sides and rounds, {@link
 * io.shardload.compare.Metrics} takes the figures of each from added histograms, {@link
 * io.shardload.compare.Comparability} says what forbids or weakens the comparison, {@link
 * io.shardload.compare.effect.Effect} judges, {@link io.shardload.compare.Lines} and the page show
 * it. {@link io.shardload.compare.Machines} says how far it is known what the servers' machines
 * did.
 *
 * <h2>The method</h2>
 *
 * <p>The unit is the run, never the request: requests of one run share its cache, its layout on
 * disk and its minute of the machine's life, so a thousand of them are no thousand measurements.
 *
 * <p>A series runs its sides in rounds, each turned against the one before as in ABBA BAAB. For
 * each round the logarithm of side/base is taken; their mean, raised again, is the ratio, and
 * Student's t with n - 1 degrees of freedom gives the 95 % interval. Why so:
 *
 * <ul>
 *   <li>What both runs of a round share, such as a slow neighbour, is gone from their ratio.
 *   <li>A steady drift enters turned rounds with opposite signs: it cancels out over an even number
 *       of rounds, leaves 1/n of one step over an odd number, and can only widen the interval.
 *   <li>Under no difference the log-ratio of two runs is symmetric however skewed single runs are,
 *       so t holds with five rounds; with five rounds z would find something in one of nine series
 *       where nothing is.
 *   <li>A ratio and its inverse are equally far from none, which differences of means are not.
 * </ul>
 *
 * <p>"No difference shown" is a verdict, not a proof of equality. What it is worth is told by the
 * minimum detectable effect: the ratio that as many rounds with this spread would show in four of
 * five series. Where that is over 5 %, compare says how many rounds would show 5 % ({@link
 * io.shardload.statistics.Rounds}). A difference below the histograms' resolution of 0.1 % is never
 * shown. Nothing is judged with fewer than five rounds; nor if the sides did not run first equally
 * often, but for one round, for then a drift cannot be told from the difference. Invalid and
 * interrupted runs are named and left out, and with them their round. A side that fails more calls,
 * by over 1 % of them, has times of other calls: its latencies are not judged.
 *
 * <p>Verdicts are not corrected for their number: the sum is what decides, and of twenty figures
 * without a difference about one looks different. How much runs vary decides nothing but the width
 * of the interval. A limit of the variation would select series whose runs happened to vary little,
 * and so intervals that are too narrow: with one of 10 %, five rounds whose true variation is 15 %
 * would err in 19 of 100 verdicts (simulated).
 *
 * <p>A percentile among dropped arrivals is a lower bound, and so is the ratio to a value. Bounds
 * have no spread, so a sign test judges them: all of at least six rounds have to lie on the same
 * side, which happens by chance in 3 of 100 series at most.
 *
 * <p>Two single runs get {@link io.shardload.statistics.BlockBootstrap} for the ratio of the mean
 * service times, named "within run", and no verdict.
 */
package io.shardload.compare;
