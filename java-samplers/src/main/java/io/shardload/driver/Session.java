package io.shardload.driver;

import java.time.Duration;

/**
 * What a run asks of its connections.
 *
 * @param runId becomes part of the application name, so that the server's own lists tell whose
 *     statements are still active
 * @param workers how many threads will call at the same time
 * @param statementTimeout the server ends a statement after this time
 */
public record Session(String runId, int workers, Duration statementTimeout) {
  /** The name that connections give themselves on the server. */
  public String applicationName() {
    return "shardload-" + runId;
  }
}
