package io.shardload.workload.documentstore.port;

import java.util.List;
import java.util.OptionalLong;

/**
 * The server's plan for one statement.
 *
 * @param access how rows are found
 * @param indexes names of the indexes that the plan uses, each once
 * @param shards how many shards the statement goes to, as text: {@code one of 4}, {@code 4 of 4},
 *     {@code not sharded}, or {@code unknown}
 * @param kind whether the plan is made for the values of each call or for any values, or that the
 *     server does not distinguish this
 * @param rows that the server expects to find, before a limit; empty if unknown
 * @param text the plan in the server's own form, or why there is none
 */
public record QueryPlan(
    Access access, List<String> indexes, String shards, Kind kind, OptionalLong rows, String text) {
  /** How rows are found. */
  public enum Access {
    /** Through an index on the columns of the statement's condition. */
    INDEX,
    /** All documents of the id are read and filtered. */
    TENANT_SCAN,
    FULL_SCAN,
    /** No search is needed, for example for an insert. */
    NONE,
    /** The server does not report it. */
    UNKNOWN
  }

  /** What a plan is made for. */
  public enum Kind {
    /** For the values of the call: planned again for each call. */
    CUSTOM,
    /** For any values: planned once per connection and kept. */
    GENERIC,
    UNKNOWN
  }

  public QueryPlan {
    indexes = List.copyOf(indexes);
  }

  /** A plan without kind and number of rows. */
  public QueryPlan(Access access, List<String> indexes, String shards, String text) {
    this(access, indexes, shards, Kind.UNKNOWN, OptionalLong.empty(), text);
  }
}
