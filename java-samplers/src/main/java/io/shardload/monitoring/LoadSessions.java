package io.shardload.monitoring;

import java.util.Locale;

/**
 * The readings on what the sessions of a load do inside a server, in terms that all drivers share:
 * {@code shardload_load_sessions} with the labels {@code doing} and {@code event}, the server's own
 * word for it, and the time of one exchange with the server without its own part.
 */
public final class LoadSessions {
  public static final String NAME = "shardload_load_sessions";
  public static final String HELP = "Sessions of the load, by what they do.";
  public static final String ROUND_TRIP = "shardload_server_round_trip_seconds";
  public static final String ROUND_TRIP_HELP =
      "Time of one exchange with the server, without the time that the server took.";

  /** Ends the name of a counter of checkpoints. */
  public static final String CHECKPOINTS = "_checkpoints";

  /** What a session does. */
  public enum Doing {
    /** Nothing: it waits for its client. */
    IDLE,
    /** It waits for its client within a transaction, and keeps its locks. */
    TRANSACTION,
    /** It runs, or is ready to run. */
    PROCESSOR,
    /** It waits for a lock that another session holds on data. */
    LOCK,
    /** It waits until the log of changes is written or flushed. */
    FLUSH,
    /** It waits for a data file. */
    DISK,
    /** It waits until its client takes what was sent. */
    SEND,
    /** It waits for another server of the cluster. */
    WORKER,
    /** It waits for something else inside the server. */
    INNER;

    /** As in the label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private LoadSessions() {}

  /** Whether a reading belongs to them, checkpoints included. */
  public static boolean isOne(Reading reading) {
    return reading.name().equals(NAME)
        || reading.name().equals(ROUND_TRIP)
        || reading.name().endsWith(CHECKPOINTS);
  }
}
