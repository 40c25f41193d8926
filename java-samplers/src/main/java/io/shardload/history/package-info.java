/**
 * The verb {@code history}: the kept runs of a target in order of time, and whether a run is worse
 * than those before it.
 *
 * <p>{@link io.shardload.history.HistoryVerb} reads what was kept of each run, {@link
 * io.shardload.history.History} makes one point of the runs of a series and puts it together,
 * {@link io.shardload.history.KeptRun} says which points are comparable, {@link
 * io.shardload.history.Judgement} judges.
 *
 * <p>{@code docs/history.md} states the method: when a run is worse, how often that is a false
 * alarm, and which runs are comparable. Its reasons:
 *
 * <ul>
 *   <li>Logarithms, because figures vary by a factor from run to run: half and double are equally
 *       far from one.
 *   <li>If nothing varies, such as the rate of an open model that keeps up, only the percentage
 *       prevents an alarm for a change of 0.01 %.
 *   <li>Without the runs that were regressions, the base would consist of the lucky ones, and the
 *       false alarms double (simulated).
 *   <li>A mix inserts more than it deletes, so each run on a kept data set finds more rows. A
 *       stricter rule than a factor of two would leave a job without a base for weeks.
 *   <li>Hardware or topology that a target never reports counts as alike, where {@code compare}
 *       does not trust it: the runs are of one target, which would have no history otherwise.
 *   <li>The runs of one series share a build and are one point. Such a mean scatters less than a
 *       single run.
 * </ul>
 */
package io.shardload.history;
