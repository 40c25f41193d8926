package io.shardload.workload.statements.port;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

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
 * @param scans of tables that no index narrows
 * @param text the plan in the server's own form, or why there is none
 */
public record QueryPlan(
    Access access,
    List<String> indexes,
    String shards,
    Kind kind,
    OptionalLong rows,
    List<Scan> scans,
    String text) {
  private static final List<Access> SLOWEST_FIRST =
      List.of(Access.FULL_SCAN, Access.UNKNOWN, Access.TENANT_SCAN, Access.INDEX, Access.NONE);

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

  /**
   * A scan of a table that no index narrows.
   *
   * @param table its name
   * @param share of its rows that are read: a limit may end the scan early. Of the rows of a shard
   *     if the number of shards is unknown
   * @param most rows that are read, however many there are
   */
  public record Scan(String table, double share, long most) {
    /** How many rows of a table with so many are read. */
    public long rows(long all) {
      return Math.min(most, (long) Math.ceil(share * all));
    }
  }

  /**
   * By table, how many rows the plans of one call read of it without help of an index.
   *
   * @param sizes the number of rows of a table
   */
  public static Map<String, Long> scans(List<QueryPlan> plans, ToLongFunction<String> sizes) {
    Map<String, Long> all = new TreeMap<>();
    for (QueryPlan plan : plans) {
      for (Scan scan : plan.scans) {
        all.merge(scan.table, scan.rows(sizes.applyAsLong(scan.table)), Long::sum);
      }
    }
    return all;
  }

  /**
   * The plans of all statements of a call as one, in the form of the run bundle.
   *
   * @param sizes the number of rows of a table
   */
  public static Map<String, Object> together(List<QueryPlan> plans, ToLongFunction<String> sizes) {
    List<Access> all = plans.stream().map(QueryPlan::access).toList();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put(
        "access", word(SLOWEST_FIRST.stream().filter(all::contains).findFirst().orElseThrow()));
    json.put("indexes", plans.stream().flatMap(p -> p.indexes().stream()).distinct().toList());
    json.put(
        "shards", String.join("; ", plans.stream().map(QueryPlan::shards).distinct().toList()));
    List<Kind> kinds =
        plans.stream().map(QueryPlan::kind).filter(k -> k != Kind.UNKNOWN).distinct().toList();
    if (kinds.size() == 1) {
      json.put("kind", word(kinds.get(0)));
    }
    if (plans.size() == 1) {
      plans.get(0).rows().ifPresent(rows -> json.put("estimated_rows", rows));
    }
    json.put("scans", scans(plans, sizes));
    json.put("text", String.join("\n", plans.stream().map(QueryPlan::text).toList()));
    return json;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public QueryPlan {
    indexes = List.copyOf(indexes);
    scans = List.copyOf(scans);
  }

  /** The same plan with another access and text. */
  public QueryPlan with(Access otherAccess, String otherText) {
    return new QueryPlan(otherAccess, indexes, shards, kind, rows, scans, otherText);
  }

  /** A plan without kind and number of rows. */
  public QueryPlan(Access access, List<String> indexes, String shards, String text) {
    this(access, indexes, shards, Kind.UNKNOWN, OptionalLong.empty(), List.of(), text);
  }
}
