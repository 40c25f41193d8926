package io.shardload.metrics;

import java.util.Locale;

/**
 * The durations that are recorded for each transaction.
 *
 * <p>Response, service and the phases are those of calls that the database answered (done or
 * missing). Calls that failed or ended unknown have a series of their own: an outage that refuses
 * at once must not improve a percentile. Calls that asked the database nothing have only a wait.
 */
public enum Series {
  /** From the due time to the end: what a user waits for. Open model only. */
  RESPONSE,
  /** From the start of the call to its end, all attempts. */
  SERVICE,
  /** The same, of calls that failed or ended unknown. */
  FAILED,
  /** From the due time to the start of the call, of all that were begun. Open model only. */
  WAIT,
  /** From the due time to the end of the run, of arrivals that were never begun. */
  DROPPED,
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
