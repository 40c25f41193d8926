package io.shardload.remote.wire;

import java.time.Duration;

/**
 * The time limits that generators and controller share. A generator without contact stops before
 * the controller abandons it, so that a lost generator no longer produces load.
 */
public final class Timing {
  /** How often a generator sends what it has, and the controller raises its beat. */
  public static final Duration EXCHANGE = Duration.ofSeconds(1);

  /**
   * How long a generator may continue after the beginning of its last successful exchange, in which
   * it found the run's hash and was not abandoned.
   */
  public static final Duration LEASE = Duration.ofSeconds(4);

  /**
   * After so much silence the controller abandons a generator. Only time counts in which the
   * controller's own reading of the stream was up to date.
   */
  public static final Duration SILENCE = Duration.ofMillis(4800);

  /** After so long without a new beat a generator stops: its controller is gone. */
  public static final Duration CONTROLLER_LOST = Duration.ofSeconds(8);

  /** From the agreement on the start to the start. */
  public static final Duration START_DELAY = Duration.ofSeconds(2);

  /** How long the controller waits for generators that must open the target. */
  public static final Duration HELLO_PATIENCE = Duration.ofSeconds(60);

  /** How long after its end a second is merged even if a generator has not reported it. */
  public static final Duration MERGE_DELAY = Duration.ofSeconds(2);

  /** How long Redis keeps a run's keys after the controller's last beat. */
  public static final Duration KEY_LIFE = Duration.ofHours(1);

  /** Longest piece of a file in one message. */
  public static final int PIECE_BYTES = 256 * 1024;

  private Timing() {}
}
