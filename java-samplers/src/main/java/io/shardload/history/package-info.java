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
 * higher. Each figure is held against that of the last ten, and at least five, comparable valid
 * runs before it, on logarithms: what varies from run to run does so by a share, and a half and a
 * double are equally far from one. It is a regression if two things hold: it is worse than their
 * geometric mean by more than the given percentage, and it lies outside their 95 % prediction
 * interval ({@link io.shardload.statistics.Prediction}).
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
 *       2 of 100 for RPS and 3 of 100 for p99. It is not corrected for the two figures, for that
 *       would cost the steps that are to be found.
 *   <li>Where nothing varies, as the rate of an open model that keeps up, only the percentage keeps
 *       a change of 0.01 % from being an alarm.
 *   <li>A run that was a regression enters the base of those after it like any other. Left out, the
 *       base would consist of the lucky ones, and the false alarms double (simulated). The price: a
 *       lasting loss is reported by the runs next to it, until it has become the norm.
 *   <li>What is known only by a bound is no value: it enters no base. It is judged only where the
 *       bound itself is already bad enough: a p99 of at least 5 s, a capacity below the lowest
 *       step's rate.
 *   <li>In a run with steps p99 is that of the capacity's step, and is held only against runs with
 *       the same step.
 * </ul>
 *
 * <p>Runs count that are valid (exit code 0 or 3), of the same target, workload and profile, and
 * comparable by the {@link io.shardload.compare.aspects.Aspect aspects} of {@code compare}, with
 * exceptions. How many rows a run left is its result. How many it found may differ by a factor of
 * two: a mix inserts more than it deletes, so each run on a kept data set finds more, and a
 * stricter rule would leave a job without a base for weeks. Where a server places the documents may
 * change from night to night without anybody's doing. Hardware or topology that a target never
 * reports counts as alike, where {@code compare} does not trust it: the runs are of one target,
 * which would have no history otherwise. The runs of one series are one point, the geometric mean
 * of theirs, as they share a build.
 */
package io.shardload.history;
