package io.shardload.calibrate;

/**
 * The duration of a side in one round: a second for caches and connections, then the window. Whole
 * seconds, because the harness writes its ledger once a second; its first line falls at {@link
 * #beforeSeconds}.
 */
public record Span(int windowSeconds) {
  /** The recorder's first second, less the delay with which the run's clock starts. */
  double beforeSeconds() {
    return 0.95;
  }

  double seconds() {
    return windowSeconds;
  }

  /** A little longer than the window, so that the line that ends it is written in mid-run. */
  public double totalSeconds() {
    return beforeSeconds() + windowSeconds + 0.1;
  }
}
