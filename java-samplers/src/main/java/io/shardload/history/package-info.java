/**
 * The verb {@code history}: the kept runs of a target in order of time, and whether a run is worse
 * than those before it.
 *
 * <p>{@link io.shardload.history.Folder} reads what was kept of each run, {@link
 * io.shardload.history.Point} makes one point of the runs of a series, {@link
 * io.shardload.history.Conditions} says which points are comparable, {@link
 * io.shardload.history.Judgement} judges, {@link io.shardload.history.History} puts it together.
 *
 * <h2>The method</h2>
 *
 * <p>A run is judged by RPS and capacity, which are worse when lower, and p99, which is worse when
 * higher. Each figure is compared with the last five to ten comparable valid runs, in logarithms:
 * figures vary by a factor from run to run, and half and double are equally far from one. It is a
 * regression under two conditions: it is worse than their geometric mean by more than the given
 * percentage, and it lies outside their 95 % prediction interval ({@link
 * io.shardload.statistics.Prediction}).
 *
 * <ul>
 *   <li>The interval is one-sided: only a change for the worse is a regression. A two-sided one, of
 *       which 2.5 % lie on that side, finds a step of 15 % in noise of 5 % within two runs in eight
 *       of ten series where it raises p99 and in nine where it lowers RPS, the one-sided one in
 *       nine and in 19 of 20 (simulated).
 *   <li>Of runs without any change, the interval alone makes at most one in twenty a regression, in
 *       each figure. Two figures at most are judged of a run: p99, and RPS or, in a run with steps,
 *       capacity. So a run is a false alarm in at most one of ten cases, if noise is so large that
 *       the percentage does not matter: beyond that the rate falls, with 10 % and a noise of 5 % to
 *       2 of 100 for RPS and 3 of 100 for p99. The test is not corrected for the two figures,
 *       because a correction would miss real steps.
 *   <li>If nothing varies, such as the rate of an open model that keeps up, only the percentage
 *       prevents an alarm for a change of 0.01 %.
 *   <li>A run that was a regression enters the base of those after it like any other. Left out, the
 *       base would consist of the lucky ones, and the false alarms double (simulated). The price: a
 *       permanent loss is reported only by the next runs, until it has become the norm.
 *   <li>A bound is not a value and never enters a base. It is judged only if the bound itself is
 *       already bad enough: a p99 of at least 5 s, a capacity below the lowest step's rate.
 *   <li>In a run with steps p99 comes from the capacity step, and is compared only with runs of the
 *       same step.
 * </ul>
 *
 * <p>A run counts if it is valid (exit code 0 or 3), has the same target, workload and profile, and
 * is comparable by the {@link io.shardload.compare.aspects.Aspect aspects} of {@code compare}, with
 * exceptions. How many rows a run left is its result. How many it found may differ by a factor of
 * two: a mix inserts more than it deletes, so each run on a kept data set finds more, and a
 * stricter rule would leave a job without a base for weeks. Where a server places the documents may
 * change from night to night by itself. Hardware or topology that a target never reports counts as
 * alike, where {@code compare} does not trust it: the runs are of one target, which would have no
 * history otherwise. The runs of one series are one point, the geometric mean of their figures,
 * because they share a build. Such a mean scatters less than a single run, so points are comparable
 * only if the numbers of their valid runs differ by less than a factor of two.
 */
package io.shardload.history;
