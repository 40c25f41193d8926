package io.shardload.workload;

/**
 * A failed call on the database, in terms that all drivers share. Thrown on the timed path, so it
 * carries no stack trace.
 */
public final class CallFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * The kind of a unique-key violation; the retry of an unknown insert that gets it counts as done.
   */
  public static final String DUPLICATE_KEY = "duplicate-key";

  private final String kind;
  private final boolean effectExcluded;
  private final boolean transientFailure;

  /**
   * @param kind short kebab-case name of the error, the same for every occurrence: {@code timeout},
   *     {@code connection-lost}, {@code duplicate-key}, ...
   * @param effectExcluded the server answered this statement with an error that rules out its
   *     effect, or the statement was certainly never sent
   * @param transientFailure another attempt may succeed
   */
  public CallFailure(
      String kind, boolean effectExcluded, boolean transientFailure, String message) {
    super(message, null, false, false);
    this.kind = kind;
    this.effectExcluded = effectExcluded;
    this.transientFailure = transientFailure;
  }

  public String kind() {
    return kind;
  }

  public boolean effectExcluded() {
    return effectExcluded;
  }

  public boolean transientFailure() {
    return transientFailure;
  }

  /** The same failure with its effect excluded, or not. */
  public CallFailure excluding(boolean effect) {
    return effectExcluded == effect
        ? this
        : new CallFailure(kind, effect, transientFailure, getMessage());
  }

  /** The same failure in other words. */
  public CallFailure saying(String message) {
    return new CallFailure(kind, effectExcluded, transientFailure, message);
  }

  /** The first line of a message; what ends with a colon announces the next one. */
  public static String firstLine(String message) {
    String text = message;
    int end = text.indexOf('\n');
    // Text before a colon announces the next line.
    while (end > 0 && text.substring(0, end).endsWith(":")) {
      text = text.substring(0, end) + " " + text.substring(end).stripLeading();
      end = text.indexOf('\n');
    }
    return end < 0 ? text : text.substring(0, end);
  }
}
