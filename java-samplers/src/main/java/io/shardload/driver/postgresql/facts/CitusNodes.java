package io.shardload.driver.postgresql.facts;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.Durability;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What each Citus node reports about itself; nothing without Citus, or if Citus knows no node and
 * the server acts like a plain one.
 *
 * @param settings by node and name
 * @param withDocuments the nodes that take shards, by their answers
 * @param others the other nodes, by their answers
 */
record CitusNodes(
    Map<String, Map<String, String>> settings,
    Map<String, TreeSet<String>> withDocuments,
    Map<String, TreeSet<String>> others) {
  private static final String NODES = "SELECT count(*) FROM pg_dist_node";
  private static final String NOT_REPORTED = "not reported";
  private static final String MEMORY = "shared_buffers";

  // A coordinator that is not registered answers as node 0. A node that is down is not an error.
  private static final String ANSWERS =
      """
      SELECT coalesce(nodename || ':' || nodeport, 'the coordinator'),
        coalesce(shouldhaveshards, false), success, result
      FROM run_command_on_all_nodes($shardload$
        SELECT json_build_object('durability', (%s), 'settings', (
          SELECT json_object_agg(name, value) FROM (%s) AS all_settings (name, value))) $shardload$,
        give_warning_for_connection_errors := true)
      LEFT JOIN pg_dist_node USING (nodeid)
      """;

  /**
   * @param durability a query for one text
   * @param settings a query for names and values
   */
  static CitusNodes read(Statement statement, String durability, String settings)
      throws SQLException {
    CitusNodes nodes = new CitusNodes(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    if (!Citus.of(statement).installed() || Queries.text(statement, NODES).equals("0")) {
      return nodes;
    }
    String question = ANSWERS.formatted(durability.strip(), settings.strip());
    try (ResultSet rows = statement.executeQuery(question)) {
      while (rows.next()) {
        String node = rows.getString(1);
        boolean answered = rows.getString(3).equals("t");
        nodes.add(node, rows.getString(2).equals("t"), answered ? rows.getString(4) : null);
      }
    }
    return nodes;
  }

  private void add(String node, boolean holdsDocuments, String answer) {
    String durability = NOT_REPORTED;
    if (answer != null) {
      JsonObject json = JsonParser.parseString(answer).getAsJsonObject();
      durability = json.get("durability").getAsString();
      Map<String, String> own = new TreeMap<>();
      json.getAsJsonObject("settings").asMap().forEach((k, v) -> own.put(k, v.getAsString()));
      settings.put(node, own);
    }
    (holdsDocuments ? withDocuments : others)
        .computeIfAbsent(durability, d -> new TreeSet<>())
        .add(node);
  }

  boolean isEmpty() {
    return withDocuments.isEmpty() && others.isEmpty();
  }

  /**
   * Memory of each node, and every other setting that is not the same on all, each under its name
   * and the node's.
   */
  Map<String, String> named() {
    Set<String> names = new TreeSet<>();
    settings.values().forEach(own -> names.addAll(own.keySet()));
    Map<String, String> named = new TreeMap<>();
    for (String name : names) {
      Set<String> values = new HashSet<>();
      settings.values().forEach(own -> values.add(own.get(name)));
      if (name.equals(MEMORY) || values.size() > 1) {
        settings.forEach(
            (node, own) -> named.put(name + " of " + node, own.getOrDefault(name, "not set")));
      }
    }
    return named;
  }

  /**
   * What all nodes agree on; where they do not, the answers with the names of their nodes, those of
   * the documents first.
   */
  String durability() {
    if (withDocuments.isEmpty()) {
      return words(others);
    }
    Map<String, TreeSet<String>> rest = new TreeMap<>(others);
    rest.keySet().removeAll(withDocuments.keySet());
    return words(withDocuments)
        + (rest.isEmpty() ? "" : "; nodes without documents: " + words(rest));
  }

  /** The least of answers to {@link Acknowledgement#QUESTION}. */
  Durability acknowledgement() {
    Stream<String> answers = (withDocuments.isEmpty() ? others : withDocuments).keySet().stream();
    return answers
        .map(
            answer ->
                answer.equals(NOT_REPORTED)
                    ? Durability.unknown("a node did not report its settings")
                    : Acknowledgement.of(answer))
        .min(Comparator.comparing(Durability::level))
        .orElseThrow();
  }

  private static String words(Map<String, TreeSet<String>> answers) {
    return answers.size() == 1 && !answers.containsKey(NOT_REPORTED)
        ? answers.keySet().iterator().next()
        : answers.entrySet().stream()
            .map(one -> one.getKey() + " (" + String.join(", ", one.getValue()) + ")")
            .collect(Collectors.joining(" | "));
  }
}
