package io.shardload.driver.postgresql.facts;

import io.shardload.driver.postgresql.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What each node of Citus tells of itself; nothing where there is no Citus, or one that knows no
 * node and so is a server like any other.
 *
 * @param sharedBuffers by the name of the setting, which names the node
 * @param withDocuments different answers of the nodes that take shards
 * @param others those of the other nodes
 */
record CitusNodes(
    Map<String, String> sharedBuffers, TreeSet<String> withDocuments, TreeSet<String> others) {
  private static final String NODES = "SELECT count(*) FROM pg_dist_node";

  // A coordinator that is not registered answers as node 0.
  private static final String ANSWERS =
      """
      SELECT coalesce(nodename || ':' || nodeport, 'the coordinator'),
        coalesce(shouldhaveshards, false), success, result
      FROM run_command_on_all_nodes($shardload$
        SELECT concat(current_setting('shared_buffers'), ';', (%s)) $shardload$)
      LEFT JOIN pg_dist_node USING (nodeid)
      """;

  /**
   * @param durability a query for one text
   */
  static CitusNodes read(Statement statement, String durability) throws SQLException {
    CitusNodes nodes = new CitusNodes(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());
    if (!Citus.of(statement).installed() || Queries.text(statement, NODES).equals("0")) {
      return nodes;
    }
    try (ResultSet rows = statement.executeQuery(ANSWERS.formatted(durability.strip()))) {
      while (rows.next()) {
        String node = rows.getString(1);
        TreeSet<String> answers =
            rows.getString(2).equals("t") ? nodes.withDocuments : nodes.others;
        if (!rows.getString(3).equals("t")) {
          answers.add("not told by " + node);
          continue;
        }
        String[] answer = rows.getString(4).split(";", 2);
        nodes.sharedBuffers.put("shared_buffers of " + node, answer[0]);
        answers.add(answer[1]);
      }
    }
    return nodes;
  }

  boolean isEmpty() {
    return withDocuments.isEmpty() && others.isEmpty();
  }

  /**
   * What all nodes agree on; where they do not, all their answers, those of the documents first.
   */
  String durability() {
    if (withDocuments.isEmpty()) {
      return String.join(" | ", others);
    }
    TreeSet<String> rest = new TreeSet<>(others);
    rest.removeAll(withDocuments);
    return String.join(" | ", withDocuments)
        + (rest.isEmpty() ? "" : "; nodes without documents: " + String.join(" | ", rest));
  }
}
