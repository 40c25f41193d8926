package io.shardload.driver.postgresql.facts;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.topology.Division;
import io.shardload.workload.statements.port.Storage;
import io.shardload.workload.statements.port.Storage.Placement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** The share of each Citus node: here a shard of the table is a part of a node. */
public final class CitusDivision {
  private static final String COPIES =
      """
      SELECT max(copies) FROM (SELECT count(*) AS copies FROM pg_dist_placement
        JOIN pg_dist_shard USING (shardid)
        WHERE logicalrelid = '%s'::regclass GROUP BY shardid) AS shard
      """;
  private static final String NODES =
      """
      SELECT DISTINCT nodename || ':' || nodeport FROM pg_dist_placement
        JOIN pg_dist_shard USING (shardid) JOIN pg_dist_node USING (groupid)
      WHERE logicalrelid = '%s'::regclass AND noderole = 'primary'
      """;
  private static final String OF_IDS =
      """
      SELECT place - 1, nodename || ':' || nodeport
      FROM unnest(?::uuid[]) WITH ORDINALITY AS tenant (id, place)
        JOIN pg_dist_placement
          ON shardid = get_shard_id_for_distribution_column('%s', id)
        JOIN pg_dist_node USING (groupid)
      WHERE noderole = 'primary'
      """;
  private static final String DISTRIBUTED_BY =
      """
      SELECT column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition
      WHERE logicalrelid = '%s'::regclass
      """;

  private CitusDivision() {}

  /** Whether a column decides in which shard of the table a row is. */
  public static boolean isBy(Statement statement, String table, String column) throws SQLException {
    return Queries.text(statement, DISTRIBUTED_BY.formatted(quoted(table))).equals(column);
  }

  private static String quoted(String table) {
    return table.replace("'", "''");
  }

  /**
   * The nodes with the indexes of their ids; empty unless the table is distributed by the column,
   * once.
   *
   * @param table by its name in SQL
   */
  public static Map<String, BitSet> of(
      Connection connection, String table, String column, List<UUID> ids) throws SQLException {
    Map<String, BitSet> nodes = new TreeMap<>();
    try (Statement statement = connection.createStatement()) {
      if (!isBy(statement, table, column)
          || !Queries.text(statement, COPIES.formatted(quoted(table))).equals("1")) {
        return nodes;
      }
      try (ResultSet rows = statement.executeQuery(NODES.formatted(quoted(table)))) {
        while (rows.next()) {
          nodes.put(rows.getString(1), new BitSet());
        }
      }
    }
    try (PreparedStatement statement =
        connection.prepareStatement(OF_IDS.formatted(quoted(table)))) {
      statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          nodes.get(rows.getString(2)).set(rows.getInt(1));
        }
      }
    }
    return nodes;
  }

  /** By the last ANALYZE of each shard; a copy of a shard counts in part. */
  public static Optional<Division> of(Storage storage, boolean byId) {
    Map<String, Long> copies = new HashMap<>();
    storage.placements().forEach(placement -> copies.merge(placement.shard(), 1L, Long::sum));
    Map<String, Long> documents = new TreeMap<>();
    for (Placement placement : storage.placements()) {
      if (placement.documents() < 0) {
        return Optional.empty();
      }
      documents.merge(
          placement.node(), placement.documents() / copies.get(placement.shard()), Long::sum);
    }
    boolean once = copies.values().stream().allMatch(count -> count == 1);
    return Optional.of(new Division(documents, byId && once));
  }
}
