package io.shardload.driver.postgresql.facts;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.workload.documentstore.port.Division;
import io.shardload.workload.documentstore.port.Storage;
import io.shardload.workload.documentstore.port.Storage.Placement;
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
final class CitusDivision {
  private static final String COPIES =
      """
      SELECT max(copies) FROM (SELECT count(*) AS copies FROM pg_dist_placement
        JOIN pg_dist_shard USING (shardid)
        WHERE logicalrelid = 'data_table'::regclass GROUP BY shardid) AS shard
      """;
  private static final String NODES =
      """
      SELECT DISTINCT nodename || ':' || nodeport FROM pg_dist_placement
        JOIN pg_dist_shard USING (shardid) JOIN pg_dist_node USING (groupid)
      WHERE logicalrelid = 'data_table'::regclass AND noderole = 'primary'
      """;
  private static final String OF_IDS =
      """
      SELECT place - 1, nodename || ':' || nodeport
      FROM unnest(?::uuid[]) WITH ORDINALITY AS tenant (id, place)
        JOIN pg_dist_placement
          ON shardid = get_shard_id_for_distribution_column('data_table', id)
        JOIN pg_dist_node USING (groupid)
      WHERE noderole = 'primary'
      """;
  private static final String ID = "id";

  private CitusDivision() {}

  /** The nodes with the indexes of their ids; empty unless the table is distributed by id, once. */
  static Map<String, BitSet> of(Connection connection, List<UUID> ids) throws SQLException {
    Map<String, BitSet> nodes = new TreeMap<>();
    try (Statement statement = connection.createStatement()) {
      if (!Citus.of(statement).distributionColumn(statement).equals(ID)
          || !Queries.text(statement, COPIES).equals("1")) {
        return nodes;
      }
      try (ResultSet rows = statement.executeQuery(NODES)) {
        while (rows.next()) {
          nodes.put(rows.getString(1), new BitSet());
        }
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(OF_IDS)) {
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
  static Optional<Division> of(Storage storage, boolean byId) {
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
