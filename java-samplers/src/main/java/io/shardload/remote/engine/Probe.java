package io.shardload.remote.engine;

/**
 * What an engine answered.
 *
 * @param why for people, empty when idle
 */
public record Probe(State state, String why) {
  /** What can be done with the engine. */
  public enum State {
    /** It takes a test. */
    IDLE,
    /** It runs a test of this or another controller. */
    BUSY,
    /** It does not answer; a moment later it may. */
    DEAD,
    /** The configuration is wrong (another key store, unknown name); a retry would fail again. */
    REFUSED
  }

  static final Probe IDLE = new Probe(State.IDLE, "");

  static Probe busy() {
    return new Probe(State.BUSY, "another test runs there");
  }

  static Probe dead(String why) {
    return new Probe(State.DEAD, why);
  }

  static Probe refused(String why) {
    return new Probe(State.REFUSED, why);
  }

  /** Whether the engine takes a test. */
  public boolean isIdle() {
    return state == State.IDLE;
  }
}
