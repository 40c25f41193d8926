package io.shardload.parity;

import io.shardload.workload.documentstore.port.Document;
import java.util.List;

/** The answer to one call, in a form that can be compared. */
sealed interface Answer {
  /**
   * The answer to a find.
   *
   * @param limit most rows that the find may return; only the reference returns all matching rows
   */
  record Rows(List<Document> rows, int limit) implements Answer {
    @Override
    public String toString() {
      return Rows.count(rows.size());
    }

    static String count(long rows) {
      return rows == 1 ? "1 row" : rows + " rows";
    }
  }

  /** The answer to a write: how many rows it changed. */
  record Changed(long rows) implements Answer {
    @Override
    public String toString() {
      return Rows.count(rows) + " changed";
    }
  }

  /** A failed call; only the kind of the failure is compared. */
  record Failure(String kind, String message) implements Answer {
    @Override
    public String toString() {
      return kind + (message.isEmpty() ? "" : " (" + message + ")");
    }
  }

  /** How many rows the answer is about. */
  default long count() {
    if (this instanceof Rows found) {
      return Math.min(found.rows().size(), found.limit());
    }
    return this instanceof Changed changed ? changed.rows() : 0;
  }
}
