package io.shardload.workload;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Queries whose answers show whether the data as a whole is right. Models that do not track each
 * document use them. Thread-safe.
 */
public interface Checks {
  /**
   * The effects of the calls of one transaction on the data.
   *
   * @param done calls that certainly took effect
   * @param unknown calls that may have taken effect
   * @param refused calls that a guard ended without an effect; or {@link #NOT_COUNTED}
   * @param rows that the done calls changed; or {@link #NOT_COUNTED}
   */
  record Effects(long done, long unknown, long refused, long rows) {
    /** An earlier version did not record this number. */
    public static final long NOT_COUNTED = -1;

    public static final Effects NONE = new Effects(0, 0, 0, 0);

    public Effects plus(Effects more) {
      return new Effects(
          done + more.done,
          unknown + more.unknown,
          sum(refused, more.refused),
          sum(rows, more.rows));
    }

    private static long sum(long one, long other) {
      return one < 0 || other < 0 ? NOT_COUNTED : one + other;
    }
  }

  /** The result of a check. */
  enum Verdict {
    CLEAN,
    WRONG,
    /** The check uses call counts, and these are not known. */
    NOT_RUN,
    /** The target did not answer the check: perhaps a value has a type that it cannot compute. */
    FAILED;

    /** The value in bundles. */
    public String label() {
      return (this == FAILED ? NOT_RUN : this).name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * The answer to a check.
   *
   * @param rows that its first statement returned
   * @param detail what is wrong, or why the check was not run; or empty
   */
  record Answer(String name, Verdict verdict, long rows, String detail) {}

  /** Whether any check is to be run at that time. */
  boolean any(boolean before);

  /**
   * Runs the checks for that time, in the order of their names. After the run, a failure of the
   * target is the answer of its check: what others find wrong must not be lost with it.
   *
   * @param before the run; otherwise after it
   * @param effects of all transactions by name; null if they are not known
   */
  List<Answer> ask(Ports ports, boolean before, Map<String, Effects> effects) throws CallFailure;
}
