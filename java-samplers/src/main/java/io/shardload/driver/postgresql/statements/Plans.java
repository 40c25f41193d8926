package io.shardload.driver.postgresql.statements;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.workload.statements.port.Plan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How the server would run the statements of a plan with given arguments; nothing is run. What is
 * captured is not known, so a statement that uses it is left out.
 */
final class Plans {
  private final Connection connection;
  private final Set<String> indexes = new TreeSet<>();
  private final StringBuilder text = new StringBuilder();
  private boolean scans;
  private boolean leftOut;
  private long tasks = -1;

  Plans(Connection connection) {
    this.connection = connection;
  }

  Map<String, Object> explain(Plan plan, Object[] arguments) throws SQLException {
    Program program = new Program(plan);
    program.describe(connection, true);
    Object[] values = program.values(arguments);
    for (int i = 0; i < program.commands().size(); i++) {
      boolean known = plan.arguments().containsAll(plan.statements().get(i).names());
      if (known) {
        explain(program, i, values);
      } else {
        leftOut = true;
        text.append("not explained, for it uses what is captured\n");
      }
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put(
        "access",
        scans ? "full-scan" : !indexes.isEmpty() ? "index" : leftOut ? "unknown" : "none");
    json.put("indexes", List.copyOf(indexes));
    json.put("shards", tasks < 0 ? "not sharded" : Long.toString(tasks));
    json.put("text", text.toString().stripTrailing());
    return json;
  }

  private void explain(Program program, int number, Object[] values) throws SQLException {
    String sql = "EXPLAIN (FORMAT JSON) " + program.commands().get(number).sql();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      program.bind(statement, number, values);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        JsonElement tree = JsonParser.parseString(rows.getString(1));
        walk(tree);
        text.append(tree).append('\n');
      }
    }
  }

  private void walk(JsonElement element) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(this::walk);
    } else if (element.isJsonObject()) {
      JsonObject node = element.getAsJsonObject();
      if (node.has("Node Type")) {
        scans |= node.get("Node Type").getAsString().endsWith("Seq Scan");
      }
      if (node.has("Index Name")) {
        // Of an index that is read from end to end the condition is missing.
        scans |= node.has("Relation Name") && !node.has("Index Cond");
        indexes.add(node.get("Index Name").getAsString());
      }
      if (node.has("Task Count")) {
        tasks = Math.max(tasks, node.get("Task Count").getAsLong());
      }
      node.entrySet().forEach(field -> walk(field.getValue()));
    }
  }
}
