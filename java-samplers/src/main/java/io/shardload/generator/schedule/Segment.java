package io.shardload.generator.schedule;

/**
 * A part of the schedule: warm-up, ramp, step, stage or hold. Rates cover all generators together.
 *
 * @param startNanos since the start of the run
 * @param fromRate arrivals per second at its start, changing linearly to toRate at its end (open
 *     model)
 * @param fromWorkers active workers at its start, changing linearly to toWorkers (closed model)
 */
public record Segment(
    String name,
    Kind kind,
    long startNanos,
    long endNanos,
    double fromRate,
    double toRate,
    double fromWorkers,
    double toWorkers) {

  /** The purpose of the segment. */
  public enum Kind {
    WARM_UP,
    RAMP,
    STEP,
    STAGE,
    HOLD
  }

  /** The same segment if the warm-up of its schedule lasts so much longer. */
  Segment warmUpProlonged(long nanos) {
    long start = kind == Kind.WARM_UP ? startNanos : startNanos + nanos;
    return new Segment(
        name, kind, start, endNanos + nanos, fromRate, toRate, fromWorkers, toWorkers);
  }

  double seconds() {
    return (endNanos - startNanos) / 1e9;
  }

  /** Expected arrivals: the integral of the rate. */
  double arrivals() {
    return (fromRate + toRate) / 2 * seconds();
  }

  /** Active workers at a time inside the segment. */
  public double workersAt(long nanos) {
    double share = (double) (nanos - startNanos) / (endNanos - startNanos);
    return fromWorkers + (toWorkers - fromWorkers) * share;
  }
}
