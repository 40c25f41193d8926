package io.shardload.remote.wire;

/**
 * The keys of a run in Redis, and the fields of its hash.
 *
 * @param nonce the controller's own: two controllers that share a Redis may give their runs the
 *     same id in the same second
 */
public record RunKeys(String runId, String nonce) {
  /** Number of generators. */
  public static final String GENERATORS = "generators";

  /** Rises each second while the controller lives. */
  public static final String BEAT = "beat";

  /** The agreed start, microseconds of Redis's clock; absent until it is agreed. */
  public static final String START_MICROS = "start_us";

  /** Why the run must stop; absent until then. */
  public static final String STOP = "stop";

  /** By how much all generators prolong the warm-up so far; absent until they do. */
  public static final String PROLONGED_NANOS = "prolonged_ns";

  private static final String LOST = "lost:";

  /** What identifies the run among all that use this Redis. */
  public String id() {
    return runId + ":" + nonce;
  }

  /** The hash that the controller writes; without it Redis has lost its data. */
  public String run() {
    return "shardload:" + id() + ":run";
  }

  /** The stream of messages from the generators. */
  public String up() {
    return "shardload:" + id() + ":up";
  }

  /** The field that exists once the controller has abandoned a generator. */
  public static String lost(int generator) {
    return LOST + generator;
  }
}
