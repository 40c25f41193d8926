package io.shardload.driver.postgresql.facts;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.workload.documentstore.port.QueryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads what EXPLAIN (FORMAT JSON) says. Nodes are sought at any depth, because Citus puts the
 * plans of its workers into lists of their own.
 */
final class Explanation {
  private static final String NODE = "Node Type";

  private final Set<String> indexes = new TreeSet<>();
  private boolean scansAll;
  private long tasks = -1;

  private Explanation() {}

  /**
   * @param shards how many the table has; 0 if it is not sharded, -1 if that is unknown
   */
  static QueryPlan parse(String json, long shards) {
    JsonElement tree = JsonParser.parseString(json);
    Explanation read = new Explanation();
    read.walk(tree);
    return new QueryPlan(
        read.access(),
        new ArrayList<>(read.indexes),
        read.shards(shards),
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(tree));
  }

  private QueryPlan.Access access() {
    if (scansAll) {
      return QueryPlan.Access.FULL_SCAN;
    }
    return indexes.isEmpty() ? QueryPlan.Access.NONE : QueryPlan.Access.INDEX;
  }

  private String shards(long all) {
    if (tasks < 0) {
      return all <= 0 ? "not sharded" : "unknown";
    }
    return (tasks == 1 ? "one" : tasks) + (all > 0 ? " of " + all : "");
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
    // Parallel plans and foreign tables have their own scans of everything; "Seq Scan" is in each.
    scansAll |= node.get(NODE).getAsString().endsWith("Seq Scan");
    if (node.has("Index Name")) {
      indexes.add(node.get("Index Name").getAsString());
    }
  }
}
