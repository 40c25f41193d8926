package io.shardload.keys;

/**
 * The known state of one ordinal, packed into 16 bits: bits 0 to 11 the edition, bits 12 to 14 the
 * status, bit 15 set while a write is in flight.
 *
 * <p>The three unknown statuses remember what an unanswered write would have changed, so that
 * verification can allow both answers: {@code UNKNOWN_INSERT} (absent, or live at edition 0),
 * {@code UNKNOWN_UPDATE} (live at the edition, or at the next), {@code UNKNOWN_DELETE} (live at the
 * edition, or deleted).
 */
public final class State {
  /** Never inserted. */
  public static final int ABSENT = 0;

  public static final int LIVE = 1;
  public static final int DELETED = 2;
  public static final int UNKNOWN_INSERT = 3;
  public static final int UNKNOWN_UPDATE = 4;
  public static final int UNKNOWN_DELETE = 5;

  /** Its last write was answered late; only in memory. */
  private static final int WITHDRAWN = 6;

  /** A document with this many updates is not updated any more. */
  public static final int MAX_EDITION = (1 << 12) - 1;

  private static final int IN_FLIGHT = 1 << 15;

  private State() {}

  public static short of(int status, int edition) {
    return (short) (status << 12 | edition);
  }

  public static short live(int edition) {
    return of(LIVE, edition);
  }

  public static int status(short state) {
    return state >> 12 & 7;
  }

  public static int edition(short state) {
    return state & MAX_EDITION;
  }

  /** A document that certainly exists and that no write is changing right now. */
  public static boolean settledLive(short state) {
    return (state & ~MAX_EDITION & 0xffff) == LIVE << 12;
  }

  /** A document that exists, although a write may be changing it right now. */
  public static boolean live(short state) {
    return status(state) == LIVE;
  }

  /** No transaction of this run uses it any more. */
  static boolean gone(short state) {
    return status(state) != LIVE && !inFlight(state);
  }

  static short withdrawn(short state) {
    return of(WITHDRAWN, edition(state));
  }

  public static boolean inFlight(short state) {
    return (state & IN_FLIGHT) != 0;
  }

  static short withInFlight(short state) {
    return (short) (state | IN_FLIGHT);
  }

  /** Whether {@link #of} can return this state. */
  static boolean valid(short state) {
    return !inFlight(state) && status(state) <= UNKNOWN_DELETE;
  }
}
