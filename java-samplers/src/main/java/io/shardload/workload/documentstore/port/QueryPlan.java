package io.shardload.workload.documentstore.port;

import java.util.List;

/**
 * How the server says it runs one statement.
 *
 * @param access whether it goes through an index or reads the whole table
 * @param indexes names of the indexes that the plan uses, each once
 * @param shards how many shards the statement goes to, in words: {@code one of 4}, {@code 4 of 4},
 *     {@code not sharded}, or {@code unknown}
 * @param text the plan in the server's own form, or why there is none
 */
public record QueryPlan(Access access, List<String> indexes, String shards, String text) {
  /** How rows are found. */
  public enum Access {
    INDEX,
    FULL_SCAN,
    /** Nothing has to be found, as for an insert. */
    NONE,
    /** The server does not tell. */
    UNKNOWN
  }

  public QueryPlan {
    indexes = List.copyOf(indexes);
  }
}
