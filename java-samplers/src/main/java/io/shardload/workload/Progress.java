package io.shardload.workload;

/** Hears how far a preparation is whose steps may take minutes. */
@FunctionalInterface
public interface Progress {
  /** Nobody listens. */
  Progress UNHEARD = (what, done, total, unit) -> {};

  /**
   * One more is done.
   *
   * @param unit of done and total, in the plural
   */
  void step(String what, long done, long total, String unit);
}
