package io.shardload.verify;

import io.shardload.keys.State;
import io.shardload.verify.Finding.Kind;
import io.shardload.workload.Dependents;

/**
 * Compares the rows of one further table with the documents to which they belong, which were read
 * before. Thread-safe while rows are read.
 */
final class DependentRows {
  private final Dependents dependents;
  private final Verification.Findings findings;
  private final OrdinalSet seen;
  private final long end;

  /**
   * @param highWater the first ordinal that was never used
   */
  DependentRows(Dependents dependents, long highWater, Verification.Findings findings) {
    this.dependents = dependents;
    this.findings = findings;
    this.end = dependents.first(highWater);
    this.seen = new OrdinalSet(end);
  }

  /**
   * A row that was read.
   *
   * @param isThere whether the document of the ordinal was read
   * @param state of the ordinal
   */
  void row(long ordinal, long number, String defect, boolean isThere, short state) {
    if (defect != null) {
      findings.add(
          Kind.CORRUPTED, ordinal, "%s of %s differs".formatted(defect, dependents.words(number)));
    } else if (!isThere && isGone(state)) {
      int status = State.status(state);
      String what =
          switch (status) {
            case State.DELETED -> " is still there";
            case State.ABSENT -> " is there, but was never inserted";
            default -> " is there, but its document is not";
          };
      Kind kind = status == State.DELETED ? Kind.RESURRECTED : Kind.FOREIGN;
      findings.add(kind, ordinal, dependents.words(number) + what);
    }
    if (!seen.add(number)) {
      String words = dependents.words(number);
      findings.add(Kind.DOUBLED, ordinal, words + " is there more than once");
    }
  }

  /** A lost document explains nothing about its rows: they are right if they are there. */
  private static boolean isGone(short state) {
    int status = State.status(state);
    return status != State.LIVE && status != State.UNKNOWN_UPDATE;
  }

  /** After the last row: reports what the document of an ordinal lacks. */
  void lacks(long ordinal) {
    long first = dependents.first(ordinal);
    for (long number = first; number < first + dependents.count(ordinal); number++) {
      if (!seen.contains(number)) {
        findings.add(Kind.LOST, ordinal, dependents.words(number) + " is missing");
      }
    }
  }

  /** A row that was read of an ordinal that was never used; false if this one may have been. */
  boolean isForeign(long ordinal, long number, long highWater) {
    boolean isForeign = ordinal >= highWater || number >= end;
    if (isForeign) {
      findings.add(
          Kind.FOREIGN, ordinal, dependents.words(number) + " is there, but was never inserted");
    }
    return isForeign;
  }
}
