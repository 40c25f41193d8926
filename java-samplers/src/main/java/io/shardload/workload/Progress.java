package io.shardload.workload;

/** Receives the progress of a long task. */
@FunctionalInterface
public interface Progress {
  /** Ignores all reports. */
  Progress UNHEARD = (what, done, total, unit) -> {};

  /**
   * One more unit is done.
   *
   * @param what names the work
   * @param unit of done and total, in the plural
   */
  void step(String what, long done, long total, String unit);
}
