package io.shardload.workload;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Questions whose answers show whether the data is right as a whole, where no model knows each
 * document. Thread-safe.
 */
public interface Checks {
  /**
   * What calls of one transaction did to the data.
   *
   * @param done calls that surely took effect
   * @param unknown calls that may have
   */
  record Effects(long done, long unknown) {
    public static final Effects NONE = new Effects(0, 0);

    public Effects plus(Effects more) {
      return new Effects(done + more.done, unknown + more.unknown);
    }
  }

  /** How a check ended. */
  enum Verdict {
    CLEAN,
    WRONG,
    /** It uses counts of calls, and these are not known. */
    NOT_RUN;

    /** As bundles have it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * The answer to a check.
   *
   * @param rows that its first statement returned
   * @param detail what is wrong, or why it was not asked; or empty
   */
  record Answer(String name, Verdict verdict, long rows, String detail) {}

  /** Whether any is to be asked at that time. */
  boolean any(boolean before);

  /**
   * Asks those that are to be asked at that time, in the order of their names.
   *
   * @param before the run, or else after it
   * @param effects of all transactions by name; null if they are not known
   */
  List<Answer> ask(Ports ports, boolean before, Map<String, Effects> effects) throws CallFailure;
}
