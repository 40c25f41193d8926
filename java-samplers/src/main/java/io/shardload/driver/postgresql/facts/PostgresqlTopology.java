package io.shardload.driver.postgresql.facts;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.topology.Topology;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * How many servers hold the table: the server and its replicas, or the nodes of Citus on which
 * shards of the table lie and their replicas. Replicas of replicas are not seen.
 */
public final class PostgresqlTopology {
  // The states of other users' connections are hidden from a user without pg_monitor; they count.
  // Subscribers of a logical replication have tables of their own.
  static final String REPLICAS =
      """
      SELECT count(*) FROM pg_stat_replication AS sender
      WHERE coalesce(state, '') <> 'backup' AND NOT EXISTS (
        SELECT FROM pg_replication_slots
        WHERE active_pid = sender.pid AND slot_type = 'logical')
      """;

  // Replicas may be registered, stream from their primary, or both.
  static final String NODES =
      """
      SELECT count(*), bool_and(success), sum(1 + greatest(
        (SELECT count(*) FROM pg_dist_node AS other
          WHERE other.groupid = node.groupid AND other.noderole = 'secondary'),
        CASE WHEN success THEN result::bigint ELSE 0 END))
      FROM run_command_on_all_nodes($shardload$ %s $shardload$)
        JOIN pg_dist_node AS node USING (nodeid)
      WHERE node.groupid IN (SELECT groupid FROM pg_dist_placement
        JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'data_table'::regclass)
      """
          .formatted(REPLICAS);

  private static final String THERE = "SELECT to_regclass('data_table') IS NOT NULL";

  private PostgresqlTopology() {}

  /**
   * Empty if the server does not report its replicas, or a node of Citus does not answer.
   *
   * @param routers hosts that the transactions go to, if the table is distributed
   */
  public static Optional<Topology> read(Statement statement, int routers) throws SQLException {
    try {
      Citus citus = Citus.of(statement);
      if (citus.installed()
          && Queries.text(statement, THERE).equals("t")
          && citus.distributed(statement)) {
        return nodes(statement, routers);
      }
      int replicas = Integer.parseInt(Queries.text(statement, REPLICAS));
      return Optional.of(new Topology(1, 1 + replicas, 0));
    } catch (SQLException e) {
      if (DataHosts.isNotReported(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static Optional<Topology> nodes(Statement statement, int routers) throws SQLException {
    try (ResultSet row = statement.executeQuery(NODES)) {
      return row.next() && row.getInt(1) > 0 && row.getString(2).equals("t")
          ? Optional.of(new Topology(row.getInt(1), row.getInt(3), routers))
          : Optional.empty();
    }
  }
}
