package io.shardload.driver.postgresql.facts;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.QueryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the output of EXPLAIN (FORMAT JSON). Nodes are searched at any depth, because Citus puts
 * the plans of its workers into lists of their own.
 */
public final class Explanation {
  private static final String NODE = "Node Type";
  private static final String INDEX = "Index Name";
  private static final String CONDITION = "Index Cond";
  private static final String PLANS = "Plans";
  private static final String ROWS = "Plan Rows";
  private static final String COST = "Total Cost";
  private static final String FIRST_COST = "Startup Cost";
  private static final String RELATION = "Relation Name";

  /** They read their whole input before their first row, whatever a limit above them wants. */
  private static final Set<String> WHOLE_INPUT = Set.of("Sort", "Hash", "SetOp", "Recursive Union");

  /** Of names in any script, which may have a dollar in them. */
  private static final String WORD_BEGINS = "(?U)(?<![\\w$])";

  private static final String WORD_ENDS = "(?![\\w$])";

  private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*'");
  private static final Pattern PARAMETER = Pattern.compile("\\$\\d");

  private final Set<String> indexes = new TreeSet<>();
  private final List<QueryPlan.Scan> scans = new ArrayList<>();
  private boolean scansAll;
  private boolean scansTenant;
  private boolean generic;
  private OptionalLong rows = OptionalLong.empty();
  private long tasks = -1;

  private final long shards;
  private final Map<String, String> firstColumns;

  /** Any other column than that of the group; null if there is none. */
  private final Pattern otherColumn;

  private Explanation(long shards, Map<String, String> firstColumns, Optional<Grouping> grouping) {
    this.shards = shards;
    this.firstColumns = firstColumns;
    this.otherColumn =
        grouping
            .map(
                one ->
                    one.others().stream()
                        .map(Pattern::quote)
                        .collect(Collectors.joining("|", WORD_BEGINS + "(", ")" + WORD_ENDS)))
            .map(Pattern::compile)
            .orElse(null);
  }

  /**
   * Reads a plan.
   *
   * @param shards how many the table has; 0 if it is not sharded, -1 if that is unknown
   * @param firstColumns of indexes, by their name; where a condition lacks it, the index is read
   *     from end to end
   * @param grouping of the rows; without it no search is one for a group
   */
  public static QueryPlan parse(
      String json, long shards, Map<String, String> firstColumns, Optional<Grouping> grouping) {
    JsonElement tree = JsonParser.parseString(json);
    Explanation read = new Explanation(shards, firstColumns, grouping);
    read.walk(tree, 1);
    return new QueryPlan(
        read.access(),
        new ArrayList<>(read.indexes),
        read.spread(),
        read.kind(),
        read.rows,
        read.scans,
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(tree));
  }

  private QueryPlan.Access access() {
    if (scansAll) {
      return QueryPlan.Access.FULL_SCAN;
    }
    if (scansTenant) {
      return QueryPlan.Access.TENANT_SCAN;
    }
    return indexes.isEmpty() ? QueryPlan.Access.NONE : QueryPlan.Access.INDEX;
  }

  /** By the conditions; what has none does not tell. */
  private QueryPlan.Kind kind() {
    if (access() == QueryPlan.Access.NONE) {
      return QueryPlan.Kind.UNKNOWN;
    }
    return generic ? QueryPlan.Kind.GENERIC : QueryPlan.Kind.CUSTOM;
  }

  private String spread() {
    if (tasks < 0) {
      return shards <= 0 ? "not sharded" : "unknown";
    }
    return (tasks == 1 ? "one" : tasks) + (shards > 0 ? " of " + shards : "");
  }

  /** Of all tasks, of which Citus shows one; in shards, if it is unknown how many there are. */
  private double ofTasks(double share) {
    return tasks < 0 ? share : share * tasks / Math.max(1, shards);
  }

  /** Below the tasks of Citus an index has the name of one shard's, which ends in its number. */
  private String unsharded(String index) {
    return tasks < 0 ? index : index.replaceFirst("_\\d{5,}$", "");
  }

  /**
   * Walks the tree.
   *
   * @param share of the element's rows that the nodes above it take
   */
  private void walk(JsonElement element, double share) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(each -> walk(each, share));
    } else if (element.isJsonObject()) {
      JsonObject object = element.getAsJsonObject();
      node(object, share);
      if (object.has("Task Count")) {
        tasks = object.get("Task Count").getAsLong();
      }
      for (String key : List.copyOf(object.keySet())) {
        if (key.equals(PLANS)) {
          object
              .getAsJsonArray(key)
              .forEach(input -> walk(input, shareOf(input.getAsJsonObject(), object, share)));
        } else {
          walk(object.get(key), share);
        }
      }
    }
  }

  /** The share of an input's rows that a node takes if the nodes above it take such a share. */
  private static double shareOf(JsonObject input, JsonObject node, double share) {
    String type = node.get(NODE).getAsString();
    String relationship =
        input.has("Parent Relationship") ? input.get("Parent Relationship").getAsString() : "";
    boolean joined = relationship.equals("Inner") && type.equals("Nested Loop");
    boolean own = relationship.equals("InitPlan") || relationship.equals("SubPlan");
    boolean grouped =
        type.equals("Aggregate")
            && !(node.has("Strategy") && node.get("Strategy").getAsString().equals("Sorted"));
    if (joined || own || grouped || WHOLE_INPUT.contains(type)) {
      return 1;
    }
    return type.equals("Limit") ? share * Math.min(1, ofLimit(input, node)) : share;
  }

  /** By the costs, because the rows that an OFFSET skips are read and not returned. */
  private static double ofLimit(JsonObject input, JsonObject limit) {
    if (!Stream.of(input, limit).allMatch(each -> each.has(COST) && each.has(FIRST_COST))) {
      return 1;
    }
    double first = input.get(FIRST_COST).getAsDouble();
    double whole = input.get(COST).getAsDouble() - first;
    return whole > 0 ? (limit.get(COST).getAsDouble() - first) / whole : 1;
  }

  private void node(JsonObject node, double share) {
    if (!node.has(NODE)) {
      return;
    }
    String type = node.get(NODE).getAsString();
    // Parallel plans and foreign tables have their own scans of everything; "Seq Scan" is in each.
    boolean unnarrowed = type.endsWith("Seq Scan");
    scansAll |= unnarrowed;
    if (node.has(INDEX)) {
      indexes.add(unsharded(node.get(INDEX).getAsString()));
    }
    if (node.has(RELATION) && type.endsWith("Scan")) {
      // Without a condition the index gives an order alone, and rows are read until a limit.
      boolean wholeIndex = indexNodes(node).anyMatch(index -> !isNarrow(index));
      scansAll |= wholeIndex && share >= 1;
      if (unnarrowed || wholeIndex) {
        String table = unsharded(node.get(RELATION).getAsString());
        scans.add(new QueryPlan.Scan(table, ofTasks(share), Long.MAX_VALUE));
      }
      scansTenant |= !narrowed(node);
      if (rows.isEmpty() && node.has(ROWS)) {
        rows = OptionalLong.of(node.get(ROWS).getAsLong());
      }
    }
    generic |= names(PARAMETER, node, CONDITION) || names(PARAMETER, node, "Filter");
  }

  /** The node itself, or the one index of its bitmap. */
  private static Stream<JsonObject> indexNodes(JsonObject node) {
    List<JsonObject> inputs =
        node.has(PLANS)
            ? node.getAsJsonArray(PLANS).asList().stream()
                .map(JsonElement::getAsJsonObject)
                .toList()
            : List.of();
    return Stream.concat(Stream.of(node), inputs.size() == 1 ? inputs.stream() : Stream.empty())
        .filter(each -> each.has(INDEX));
  }

  private boolean isNarrow(JsonObject index) {
    String first = firstColumns.get(unsharded(index.get(INDEX).getAsString()));
    return index.has(CONDITION)
        && (first == null
            || names(
                Pattern.compile(WORD_BEGINS + Pattern.quote(first) + WORD_ENDS), index, CONDITION));
  }

  /**
   * Whether an index narrows the rows by more than the id. A bitmap that several make together is
   * as narrow as the narrowest; one of alternatives is as wide as the widest.
   */
  private boolean narrowed(JsonObject node) {
    if (node.has(CONDITION)) {
      return otherColumn == null || names(otherColumn, node, CONDITION);
    }
    if (!node.has(PLANS)) {
      return true;
    }
    Stream<JsonObject> parts =
        node.getAsJsonArray(PLANS).asList().stream().map(JsonElement::getAsJsonObject);
    return node.get(NODE).getAsString().equals("BitmapAnd")
        ? parts.anyMatch(this::narrowed)
        : parts.allMatch(this::narrowed);
  }

  /** Whether a condition of the node matches, ignoring the values in it. */
  private static boolean names(Pattern what, JsonObject node, String condition) {
    return node.has(condition)
        && what.matcher(LITERAL.matcher(node.get(condition).getAsString()).replaceAll("")).find();
  }
}
