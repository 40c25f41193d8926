/**
 * The verb {@code compare}: runs side by side, and the conclusions that they allow.
 *
 * <p>{@link io.shardload.compare.Sides} groups bundles into sides and rounds, {@link
 * io.shardload.compare.Metrics} takes the figures of each from added histograms, {@link
 * io.shardload.compare.Comparability} says what forbids or weakens the comparison by each {@link
 * io.shardload.compare.Aspect} ({@code history} takes as its base only runs that do not differ),
 * {@link io.shardload.compare.Effect} judges, {@link io.shardload.compare.Lines} and the page show
 * it. {@link io.shardload.compare.Machines} says how far it is known what the servers' machines
 * did.
 *
 * <p>{@link io.shardload.compare.CompareVerb} states the method, and {@code docs/comparing.md}
 * gives the reasons for it. The unit is the run. Rounds give log-ratios, for which {@link
 * io.shardload.statistics.Interval} computes Student's interval; {@link
 * io.shardload.statistics.Rounds} computes how many rounds would show 5 %; {@link
 * io.shardload.statistics.BlockBootstrap} gives two single runs an interval and no verdict.
 */
package io.shardload.compare;
