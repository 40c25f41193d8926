package io.shardload.driver.postgresql.facts;

import io.shardload.workload.statements.port.Storage;
import io.shardload.workload.statements.port.Storage.Placement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where Citus stores the documents; each node reports its own placements. Numbers of documents come
 * from the last ANALYZE, because a count would read all documents; -1 before the first ANALYZE.
 */
public final class CitusStorage {
  // Citus puts the name of the shard in place of %s.
  private static final String PLACEMENTS =
      """
      SELECT shardid, nodename || ':' || nodeport, result, success
      FROM run_command_on_placements(:table, $$
        SELECT concat_ws(' ', reltuples::bigint, pg_table_size(c.oid), (
          SELECT string_agg(i.relname || ' ' || pg_relation_size(i.oid), ' ')
          FROM pg_index JOIN pg_class i ON i.oid = indexrelid WHERE indrelid = c.oid))
        FROM pg_class c WHERE c.oid = '%s'::regclass $$)
      ORDER BY shardid, nodename, nodeport
      """;
  private static final int INDEXES_FROM = 2;

  private CitusStorage() {}

  /**
   * Where a node does not answer for its placements, sums over all of them are not known, and the
   * facts name it.
   *
   * @param table by its name in SQL; it must be distributed
   */
  public static Storage read(Statement statement, String table) throws SQLException {
    String placementsOf = PLACEMENTS.replace(":table", "'" + table.replace("'", "''") + "'");
    List<Placement> placements = new ArrayList<>();
    Map<String, Long> indexBytes = new TreeMap<>();
    Set<String> silent = new TreeSet<>();
    long tableBytes = 0;
    try (ResultSet rows = statement.executeQuery(placementsOf)) {
      while (rows.next()) {
        String shard = rows.getString(1);
        String node = rows.getString(2);
        if (!rows.getString(4).equals("t")) {
          placements.add(new Placement(shard, node, -1, -1));
          silent.add(node);
          continue;
        }
        String[] words = rows.getString(3).split(" ", -1);
        long bytes = Long.parseLong(words[1]);
        tableBytes += bytes;
        for (int i = INDEXES_FROM; i < words.length; i += 2) {
          long size = Long.parseLong(words[i + 1]);
          indexBytes.merge(words[i].replace("_" + shard, ""), size, Long::sum);
          bytes += size;
        }
        placements.add(new Placement(shard, node, Long.parseLong(words[0]), bytes));
      }
    }
    return silent.isEmpty()
        ? new Storage(tableBytes, indexBytes, placements, Map.of())
        : new Storage(
            -1, Map.of(), placements, Map.of("nodes_without_answer", String.join(", ", silent)));
  }
}
