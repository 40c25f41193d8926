package io.shardload.cli;

import io.shardload.workload.Progress;

/** Hears of a verb under way: how far it is, and lines for people. Safe for use by many threads. */
interface Listener extends Progress {
  /** One line for people. */
  void note(String text);
}
