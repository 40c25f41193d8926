package io.shardload.verify;

import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.verify.Finding.Kind;
import io.shardload.workload.Dependents;
import io.shardload.workload.Progress;
import io.shardload.workload.RowVisitor;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares the expected documents with the rows of the target, row by row. Each row turns its state
 * into the settled state; the states are usable only if there was no finding. Thread-safe while
 * rows are read.
 */
final class Expectation implements RowVisitor {
  private static final long PROGRESS_EVERY = 5_000;

  private final States states;
  private final long highWater;
  private final OrdinalSet only;
  private final long tolerable;
  private final Progress progress;
  private final OrdinalSet seen;
  private final List<DependentRows> dependents;
  private final LostWrites lostWrites;
  private final Verification.Findings findings = new Verification.Findings();
  private final AtomicLong walked = new AtomicLong();
  private final AtomicLong settledUnknown = new AtomicLong();
  private final AtomicLong tolerated = new AtomicLong();
  private final long expected;

  /**
   * @param states by ordinal, with the run's journals replayed
   * @param highWater the first ordinal that was never used
   * @param only the ordinals whose documents are read, or null for all
   * @param tolerable how many documents the lost ends of journals may explain; 0 if none is lost
   * @param dependents further tables with rows of the documents
   * @param lostWrites receives the documents that lack acknowledged writes
   */
  Expectation(
      States states,
      long highWater,
      OrdinalSet only,
      long tolerable,
      List<Dependents> dependents,
      LostWrites lostWrites,
      Progress progress) {
    this.states = states;
    this.highWater = highWater;
    this.only = only;
    this.tolerable = tolerable;
    this.lostWrites = lostWrites;
    this.progress = progress;
    this.seen = new OrdinalSet(highWater);
    this.dependents =
        dependents.stream().map(one -> new DependentRows(one, highWater, findings)).toList();
    long surely = 0;
    for (long ordinal = 0; ordinal < highWater; ordinal++) {
      int status = State.status(states.get(ordinal));
      boolean there = status == State.LIVE || status == State.UNKNOWN_UPDATE;
      surely += there && isRead(ordinal) ? 1 : 0;
    }
    this.expected = surely;
  }

  private boolean isRead(long ordinal) {
    return only == null || only.contains(ordinal);
  }

  @Override
  public void row(long ordinal, long edition, String defect) {
    step();
    if (ordinal >= highWater) {
      findings.add(Kind.FOREIGN, ordinal, "above the high-water mark: this ordinal was never used");
      return;
    }
    boolean first = seen.add(ordinal);
    if (!first) {
      findings.add(Kind.DOUBLED, ordinal, "found in more than one row");
    }
    // Of two rows, the right row may come first or second; the wrong row is judged in both cases.
    if (first || defect != null) {
      judge(ordinal, edition, defect);
    }
  }

  @Override
  public void dependent(int table, long ordinal, long number, String defect) {
    DependentRows rows = dependents.get(table);
    if (!rows.isForeign(ordinal, number, highWater)) {
      rows.row(ordinal, number, defect, seen.contains(ordinal), states.get(ordinal));
    }
  }

  @Override
  public void foreign(String description) {
    step();
    findings.add(Kind.FOREIGN, null, description);
  }

  /** After the last row: reports the missing documents. */
  void end() {
    for (long ordinal = 0; ordinal < highWater; ordinal++) {
      if (!seen.contains(ordinal) && isRead(ordinal)) {
        missing(ordinal, states.get(ordinal));
      } else if (seen.contains(ordinal)) {
        for (DependentRows rows : dependents) {
          rows.lacks(ordinal);
        }
      }
    }
    progress.step("verify", walked.get(), walked.get(), "documents");
  }

  private void step() {
    long rows = walked.incrementAndGet();
    if (rows % PROGRESS_EVERY == 0) {
      progress.step("verify", rows, Math.max(rows, expected), "documents");
    }
  }

  private void judge(long ordinal, long edition, String defect) {
    short state = states.get(ordinal);
    int known = State.edition(state);
    switch (State.status(state)) {
      case State.LIVE -> judgeEdition(ordinal, edition, defect, known, known, false);
      case State.UNKNOWN_INSERT -> judgeEdition(ordinal, edition, defect, 0, 0, true);
      case State.UNKNOWN_UPDATE -> judgeEdition(ordinal, edition, defect, known, known + 1, true);
      case State.UNKNOWN_DELETE -> judgeEdition(ordinal, edition, defect, known, known, true);
      case State.DELETED -> {
        findings.add(Kind.RESURRECTED, ordinal, "deleted, but found at edition " + edition);
        lostWrites.found(ordinal, edition);
      }
      default -> {
        if (defect == null && edition <= State.MAX_EDITION && tolerate()) {
          states.set(ordinal, State.live((int) edition));
        } else {
          findings.add(Kind.FOREIGN, ordinal, "never inserted, but found at edition " + edition);
        }
      }
    }
  }

  private void judgeEdition(
      long ordinal, long edition, String defect, int lowest, int highest, boolean unknown) {
    String also = defect == null ? "" : "; " + defect + " does not belong to this edition";
    if (edition < lowest) {
      findings.add(
          Kind.STALE, ordinal, "at edition %d instead of %d".formatted(edition, lowest) + also);
      lostWrites.found(ordinal, edition);
    } else if (defect != null) {
      findings.add(Kind.CORRUPTED, ordinal, defect + " differs at edition " + edition);
    } else if (edition <= highest) {
      settledUnknown.addAndGet(unknown ? 1 : 0);
      states.set(ordinal, State.live((int) edition));
    } else if (!unknown && edition <= State.MAX_EDITION && tolerate()) {
      states.set(ordinal, State.live((int) edition));
    } else {
      findings.add(
          Kind.CORRUPTED,
          ordinal,
          "at edition %d, but the highest written edition is %d".formatted(edition, highest));
    }
  }

  private void missing(long ordinal, short state) {
    switch (State.status(state)) {
      case State.UNKNOWN_INSERT -> settle(ordinal, State.of(State.ABSENT, 0));
      case State.UNKNOWN_DELETE -> settle(ordinal, State.of(State.DELETED, State.edition(state)));
      case State.LIVE -> {
        if (tolerate()) {
          states.set(ordinal, State.of(State.DELETED, State.edition(state)));
        } else {
          lost(ordinal, state);
        }
      }
      case State.UNKNOWN_UPDATE -> lost(ordinal, state);
      default -> {}
    }
  }

  private void lost(long ordinal, short state) {
    findings.add(Kind.LOST, ordinal, "last known at edition " + State.edition(state));
    lostWrites.missing(ordinal);
  }

  private void settle(long ordinal, short state) {
    settledUnknown.incrementAndGet();
    states.set(ordinal, state);
  }

  /** Whether the lost end of a journal may explain one more document. */
  private boolean tolerate() {
    if (tolerated.getAndUpdate(count -> Math.min(tolerable, count + 1)) >= tolerable) {
      return false;
    }
    settledUnknown.incrementAndGet();
    return true;
  }

  Verification.Findings findings() {
    return findings;
  }

  long walked() {
    return walked.get();
  }

  long expected() {
    return expected;
  }

  long settledUnknown() {
    return settledUnknown.get();
  }

  /**
   * How many documents only the lost end of a journal explains; they are settled like unknown
   * outcomes.
   */
  long tolerated() {
    return tolerated.get();
  }
}
