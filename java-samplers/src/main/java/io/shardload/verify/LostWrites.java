package io.shardload.verify;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.keys.FileJournal;
import io.shardload.keys.Journal;
import io.shardload.keys.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The acknowledged writes of a run that are not in the target, and when they were acknowledged. The
 * comparison adds the documents that are lost, stale or resurrected; then the journals are read a
 * second time. A write is lost if it made an edition above the edition that was found, or was the
 * delete of a resurrected document. Writes of earlier runs, such as the load, are not counted.
 *
 * <p>A write has the time of the mark after it, at most 10 ms later unless the generator paused;
 * where the end of a journal is cut off, the time of the last mark.
 */
final class LostWrites {
  /** Documents whose writes are counted: their ordinals are in memory. */
  static final int MOST_DOCUMENTS = 1_000_000;

  private static final int MISSING = -1;

  private final int mostDocuments;

  /** The edition at which each document was found, by ordinal. */
  private final Map<Long, Integer> found = new HashMap<>();

  private final Map<Long, Long> countByNanos = new TreeMap<>();
  private long documentsLeftOut;

  /**
   * @param mostDocuments {@link #MOST_DOCUMENTS}; 0 for a run without faults
   */
  LostWrites(int mostDocuments) {
    this.mostDocuments = mostDocuments;
  }

  /** Adds a document that is missing. */
  void missing(long ordinal) {
    found(ordinal, MISSING);
  }

  /** Adds a document that is stale or resurrected; of two rows the later edition counts. */
  synchronized void found(long ordinal, long edition) {
    if (found.size() < mostDocuments || found.containsKey(ordinal)) {
      found.merge(ordinal, (int) Math.min(edition, State.MAX_EDITION), Math::max);
    } else {
      documentsLeftOut++;
    }
  }

  /** Reads the journals of the run, after the last document was added. */
  LostWrites read(Path bundle) throws IOException {
    BundleLayout layout = new BundleLayout(bundle);
    for (int generator : layout.generatorsWithJournal()) {
      Times times = new Times();
      FileJournal.replay(layout.journal(generator), times);
      times.count();
    }
    return this;
  }

  private boolean isLost(long ordinal, short state) {
    Integer edition = found.get(ordinal);
    return edition != null
        && switch (State.status(state)) {
          case State.LIVE -> State.edition(state) > edition;
          case State.DELETED -> true;
          default -> false;
        };
  }

  /** Counts the lost writes of one journal mark by mark. */
  private final class Times implements Journal {
    private long lost;
    private long nanos;

    @Override
    public void append(long ordinal, short state) {
      lost += isLost(ordinal, state) ? 1 : 0;
    }

    @Override
    public void mark(long newNanos) {
      nanos = newNanos;
      count();
    }

    void count() {
      if (lost > 0) {
        countByNanos.merge(nanos, lost, Long::sum);
        lost = 0;
      }
    }
  }

  /**
   * {@code total}, and {@code at_ns} with {@code [time since the start of the load, number]};
   * {@code documents_left_out} if there were too many documents.
   */
  JsonObject toJson() {
    JsonArray times = new JsonArray();
    countByNanos.forEach(
        (nanos, count) -> {
          JsonArray one = new JsonArray();
          one.add(nanos);
          one.add(count);
          times.add(one);
        });
    JsonObject json = new JsonObject();
    json.addProperty("total", countByNanos.values().stream().mapToLong(Long::longValue).sum());
    json.add("at_ns", times);
    if (documentsLeftOut > 0) {
      json.addProperty("documents_left_out", documentsLeftOut);
    }
    return json;
  }
}
