package io.shardload.metrics;

import java.util.Locale;

/** The durations that are recorded for each transaction. */
public enum Series {
  /** From the due time to the end: what a user waits for. Open model only. */
  RESPONSE,
  /** From the start of the call to its end, all attempts. */
  SERVICE,
  /** From the due time to the start of the call. Open model only. */
  WAIT,
  /** Obtaining a connection. */
  CONNECT,
  /** Until the first row, or the acknowledgement. */
  SEARCH,
  /** Reading and decoding the rest. */
  FETCH;

  /** As it stands in tags and in the summary. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
