package io.shardload.cli;

import io.shardload.workload.Progress;

/** Receives the progress of a verb, and lines for people. Safe for use by many threads. */
interface Listener extends Progress {
  /** One line for people. */
  void note(String text);
}
