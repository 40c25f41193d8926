package io.shardload.driver;

import io.shardload.Sha256;
import java.time.Duration;

/**
 * The requirements of a run for its connections.
 *
 * @param runId becomes part of the application name, so that the server's own lists show whether
 *     generators of the run are still connected
 * @param workers how many threads will call at the same time
 * @param statementTimeout the server ends a statement after this time
 * @param controller whether this is not a generator, but the controller that waits for them
 */
public record Session(String runId, int workers, Duration statementTimeout, boolean controller) {
  /** PostgreSQL keeps this many bytes of a name, and silently cuts off the rest. */
  private static final int LONGEST_NAME = 63;

  private static final int HASH_DIGITS = 16;

  /** How names of all roles begin, as a regular expression that every server understands. */
  public static final String APPLICATIONS = "^shardload(-| controller )";

  /** The session of a generator. */
  public Session(String runId, int workers, Duration statementTimeout) {
    this(runId, workers, statementTimeout, false);
  }

  /** The session of the run's controller, which servers list under another name. */
  public static Session controller(String runId, int workers, Duration statementTimeout) {
    return new Session(runId, workers, statementTimeout, true);
  }

  /** The same for the run's controller. */
  public Session asController() {
    return controller(runId, workers, statementTimeout);
  }

  /**
   * The name that connections give themselves on the server: at most 63 printable ASCII characters,
   * and another one for each run and role. A run id that does not fit is replaced by its hash.
   */
  public String applicationName() {
    // No generator's name begins like a controller's, whatever the run is called.
    String prefix = controller ? "shardload controller " : "shardload-";
    String readable = runId.replaceAll("[^!-~]", "_");
    if (readable.equals(runId) && prefix.length() + runId.length() <= LONGEST_NAME) {
      return prefix + runId;
    }
    String hash = "~" + Sha256.of(runId).substring(0, HASH_DIGITS);
    int room = LONGEST_NAME - prefix.length() - hash.length();
    return prefix + readable.substring(0, Math.min(room, readable.length())) + hash;
  }

  /** The run in the name of an application that matches {@link #APPLICATIONS}. */
  public static String runOf(String applicationName) {
    return applicationName.replaceFirst(APPLICATIONS, "");
  }
}
