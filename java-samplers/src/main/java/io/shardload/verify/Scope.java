package io.shardload.verify;

import io.shardload.bundle.VerificationMode;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import java.util.stream.LongStream;

/**
 * Which documents are read.
 *
 * @param only their ordinals, or null for all
 * @param words what the scope leaves out, or why it differs from the requested scope; or empty
 */
record Scope(OrdinalSet only, String words) {
  private static final String INSTEAD =
      "all documents were read, not only documents that the run wrote: ";

  /**
   * The scope of a mode. All documents, if the documents that the run wrote are not known.
   *
   * @param states with the run's journals replayed
   * @param journals the replayed journals
   */
  static Scope of(
      VerificationMode asked,
      DataSetStore store,
      Header header,
      States states,
      Journals.Replayed journals)
      throws CallFailure {
    if (asked == VerificationMode.ALL) {
      return new Scope(null, "");
    }
    if (!header.ofRun()) {
      return new Scope(null, INSTEAD + "no run needs verification");
    }
    if (!journals.absent().isEmpty()) {
      return new Scope(
          null,
          INSTEAD + "a generator left no journal, so the written documents are not fully known");
    }
    if (journals.tolerable() > 0) {
      return new Scope(
          null,
          INSTEAD
              + "the end of a journal is missing, so the written documents are not fully known");
    }
    return new Scope(
        written(store, header, states),
        "only documents that the run wrote were read: losses of other documents"
            + " were not checked");
  }

  /**
   * Documents that the run wrote or may have written, and documents that an earlier run left
   * unknown.
   */
  private static OrdinalSet written(DataSetStore store, Header header, States states)
      throws CallFailure {
    OrdinalSet written = new OrdinalSet(header.highWater());
    StateChunks.changed(store, header, states, header.highWater(), written::add);
    unknownOrdinals(states, header.highWater()).forEach(written::add);
    return written;
  }

  /** How many outcomes are unknown. */
  static long unknown(States states, long highWater) {
    return unknownOrdinals(states, highWater).count();
  }

  private static LongStream unknownOrdinals(States states, long highWater) {
    return LongStream.range(0, highWater)
        .filter(
            ordinal ->
                switch (State.status(states.get(ordinal))) {
                  case State.UNKNOWN_INSERT, State.UNKNOWN_UPDATE, State.UNKNOWN_DELETE -> true;
                  default -> false;
                });
  }

  VerificationMode mode() {
    return only == null ? VerificationMode.ALL : VerificationMode.WRITTEN;
  }
}
