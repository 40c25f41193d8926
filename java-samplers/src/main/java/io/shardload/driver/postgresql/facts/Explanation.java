package io.shardload.driver.postgresql.facts;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.workload.documentstore.port.QueryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the output of EXPLAIN (FORMAT JSON). Nodes are searched at any depth, because Citus puts
 * the plans of its workers into lists of their own.
 */
public final class Explanation {
  private static final String NODE = "Node Type";
  private static final String CONDITION = "Index Cond";
  private static final String PLANS = "Plans";
  private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*'");
  private static final Pattern PARAMETER = Pattern.compile("\\$\\d");

  /** Any column of the table but the tenant's id that statements ask for. */
  private static final Pattern OTHER_COLUMN = Pattern.compile("\\b(filter[1-5]|edition)\\b");

  private final Set<String> indexes = new TreeSet<>();
  private boolean scansAll;
  private boolean scansTenant;
  private boolean generic;
  private OptionalLong rows = OptionalLong.empty();
  private long tasks = -1;

  private Explanation() {}

  /**
   * Reads a plan.
   *
   * @param shards how many the table has; 0 if it is not sharded, -1 if that is unknown
   */
  public static QueryPlan parse(String json, long shards) {
    JsonElement tree = JsonParser.parseString(json);
    Explanation read = new Explanation();
    read.walk(tree);
    return new QueryPlan(
        read.access(),
        new ArrayList<>(read.indexes),
        read.shards(shards),
        read.kind(),
        read.rows,
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

  private String shards(long all) {
    if (tasks < 0) {
      return all <= 0 ? "not sharded" : "unknown";
    }
    return (tasks == 1 ? "one" : tasks) + (all > 0 ? " of " + all : "");
  }

  /** Below the tasks of Citus an index has the name of one shard's, which ends in its number. */
  private String unsharded(String index) {
    return tasks < 0 ? index : index.replaceFirst("_\\d{5,}$", "");
  }

  private void walk(JsonElement element) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(this::walk);
    } else if (element.isJsonObject()) {
      JsonObject object = element.getAsJsonObject();
      node(object);
      if (object.has("Task Count")) {
        tasks = object.get("Task Count").getAsLong();
      }
      for (String key : List.copyOf(object.keySet())) {
        walk(object.get(key));
      }
    }
  }

  private void node(JsonObject node) {
    if (!node.has(NODE)) {
      return;
    }
    String type = node.get(NODE).getAsString();
    // Parallel plans and foreign tables have their own scans of everything; "Seq Scan" is in each.
    scansAll |= type.endsWith("Seq Scan");
    if (node.has("Index Name")) {
      indexes.add(unsharded(node.get("Index Name").getAsString()));
    }
    if (node.has("Relation Name") && type.endsWith("Scan")) {
      // Without a condition the index gives an order alone, and all rows are read.
      scansAll |= node.has("Index Name") && !node.has(CONDITION);
      scansTenant |= !narrowed(node);
      if (rows.isEmpty() && node.has("Plan Rows")) {
        rows = OptionalLong.of(node.get("Plan Rows").getAsLong());
      }
    }
    generic |= names(PARAMETER, node, CONDITION) || names(PARAMETER, node, "Filter");
  }

  /**
   * Whether an index narrows the rows by more than the id. A bitmap that several make together is
   * as narrow as the narrowest; one of alternatives is as wide as the widest.
   */
  private static boolean narrowed(JsonObject node) {
    if (node.has(CONDITION)) {
      return names(OTHER_COLUMN, node, CONDITION);
    }
    if (!node.has(PLANS)) {
      return true;
    }
    Stream<JsonObject> parts =
        node.getAsJsonArray(PLANS).asList().stream().map(JsonElement::getAsJsonObject);
    return node.get(NODE).getAsString().equals("BitmapAnd")
        ? parts.anyMatch(Explanation::narrowed)
        : parts.allMatch(Explanation::narrowed);
  }

  /** Whether a condition of the node matches, ignoring the values in it. */
  private static boolean names(Pattern what, JsonObject node, String condition) {
    return node.has(condition)
        && what.matcher(LITERAL.matcher(node.get(condition).getAsString()).replaceAll("")).find();
  }
}
