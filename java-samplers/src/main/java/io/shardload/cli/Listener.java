package io.shardload.cli;

/** Hears how far a verb is. Safe for use by many threads. */
interface Listener {
  /**
   * How far a long work is.
   *
   * @param what names the work
   * @param unit of done and total, in the plural
   */
  void progress(String what, long done, long total, String unit);

  /** One line for people. */
  void note(String text);
}
