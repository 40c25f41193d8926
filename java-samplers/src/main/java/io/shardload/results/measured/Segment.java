package io.shardload.results.measured;

import java.util.Locale;
import java.util.Optional;

/**
 * One part of the schedule that the run reached.
 *
 * @param kind {@code warm-up}, {@code ramp}, {@code step}, {@code stage} or {@code hold}
 * @param fromRate planned arrivals per second of all generators at its start; NaN in a closed model
 * @param toRate the same at its end
 * @param fromNanos when it began, since the run's start
 * @param toNanos when it ended: as planned, or when the run was stopped in it
 * @param planNanos when it should have ended
 */
public record Segment(
    String name,
    String kind,
    double fromRate,
    double toRate,
    long fromNanos,
    long toNanos,
    long planNanos) {

  public double seconds() {
    return (toNanos - fromNanos) / 1e9;
  }

  /** True if the run ended in it, before its planned end; a millisecond is rounding. */
  public boolean cut() {
    return toNanos < planNanos - 1_000_000;
  }

  /** How much of it there was, {@code cut after 2.8 of 60.0 s}. */
  public String cutText() {
    return String.format(
        Locale.ROOT, "cut after %.1f of %.1f s", seconds(), (planNanos - fromNanos) / 1e9);
  }

  /** Empty where it would have no length. */
  Optional<Segment> part(long from, long to) {
    return to > from
        ? Optional.of(new Segment(name, kind, fromRate, toRate, from, to, to))
        : Optional.empty();
  }

  boolean warmUp() {
    return kind.equals("warm-up");
  }

  /** Planned arrivals per second at a moment; rates change linearly within a segment. */
  double rateAt(double seconds) {
    double planned = (planNanos - fromNanos) / 1e9;
    double share = planned <= 0 ? 0 : (seconds - fromNanos / 1e9) / planned;
    return fromRate + (toRate - fromRate) * Math.min(1, Math.max(0, share));
  }
}
