package io.shardload.workload;

/** Hears how far a long piece of work is. */
@FunctionalInterface
public interface Progress {
  /** Nobody listens. */
  Progress UNHEARD = (what, done, total, unit) -> {};

  /**
   * One more is done.
   *
   * @param what names the work
   * @param unit of done and total, in the plural
   */
  void step(String what, long done, long total, String unit);
}
