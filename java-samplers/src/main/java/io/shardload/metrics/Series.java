package io.shardload.metrics;

import io.shardload.workload.Outcome;
import java.util.Locale;

/**
 * The durations that are recorded for each transaction.
 *
 * <p>Response, service and the phases cover calls that the database answered as expected (done or
 * missing). Refused calls have a separate series, and so have failed and unknown ones: an outage
 * with immediate rejections must not improve a percentile. Calls that did not reach the database
 * have only a wait.
 */
public enum Series {
  /** From the due time to the end: what a user waits for. Open model only. */
  RESPONSE,
  /** From the start of the call to its end, all attempts. */
  SERVICE,
  /** The same, for refused calls. */
  REFUSED,
  /** The same, for failed and unknown calls. */
  FAILED,
  /** From the due time to the start of the call, for all begun arrivals. Open model only. */
  WAIT,
  /** From the due time to the end of the run, of arrivals that were never begun. */
  DROPPED,
  /** Obtaining a connection. */
  CONNECT,
  /** Until the first row, or the acknowledgement. */
  SEARCH,
  /** Reading and decoding the rest. */
  FETCH;

  /** The series that the whole time of a call belongs to. */
  public static Series of(Outcome outcome) {
    if (outcome instanceof Outcome.Refused) {
      return REFUSED;
    }
    return outcome.answered() ? SERVICE : FAILED;
  }

  /** As used in tags and in the summary. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
