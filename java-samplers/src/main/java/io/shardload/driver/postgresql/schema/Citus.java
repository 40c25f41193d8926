package io.shardload.driver.postgresql.schema;

import io.shardload.config.ConfigException;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Failures;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/**
 * Citus's information about itself and the table.
 *
 * @param version of the extension, or empty where there is none
 */
public record Citus(String version) {
  private static final int OLDEST = 11;
  private static final int NEWEST = 13;

  private static final String VERSION =
      "SELECT extversion FROM pg_extension WHERE extname = 'citus'";
  private static final String RELEASE = "SELECT split_part(citus_version(), ' on ', 1)";
  private static final String IS_WORKER = "SELECT groupid <> 0 FROM pg_dist_local_group";
  private static final String NODES =
      """
      SELECT count(*) FROM pg_dist_node
      WHERE shouldhaveshards AND isactive AND noderole = 'primary'
      """;
  private static final String TABLE =
      """
      SELECT column_to_column_name(logicalrelid, partkey),
        count(DISTINCT shardid), count(*), colocationid
      FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid)
        JOIN pg_dist_placement USING (shardid)
      WHERE logicalrelid = 'data_table'::regclass
      GROUP BY logicalrelid, partkey, colocationid
      """;
  private static final String DISTRIBUTED =
      """
      SELECT logicalrelid::text FROM pg_dist_partition
      WHERE logicalrelid = to_regclass('%s')
      """;
  private static final String COLOCATED = DISTRIBUTED + " AND colocationid = %d";

  private static final String CHECKPOINT_EVERYWHERE =
      "SELECT result FROM run_command_on_all_nodes('CHECKPOINT') WHERE NOT success";

  // Up to 14 there is no such role. A superuser is a member of all.
  private static final String MAY_CHECKPOINT =
      """
      SELECT usesuper OR EXISTS (SELECT FROM pg_roles
        WHERE rolname = 'pg_checkpoint' AND pg_has_role(usesysid, oid, 'USAGE'))
      FROM pg_user WHERE usename = current_user
      """;
  private static final String MAY_CHECKPOINT_EVERYWHERE =
      "SELECT count(*) = 0 FROM run_command_on_all_nodes($shardload$ "
          + MAY_CHECKPOINT
          + " $shardload$) WHERE NOT success OR result <> 't'";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  public static Citus of(Statement statement) throws SQLException {
    return new Citus(Queries.text(statement, VERSION));
  }

  public boolean installed() {
    return !version.isEmpty();
  }

  /** Name and version as Citus says them, or empty; {@link #version} lacks the last number. */
  public String release(Statement statement) throws SQLException {
    return installed() ? Queries.text(statement, RELEASE) : "";
  }

  /** Refuses a database without the extension. */
  public void require() {
    if (!installed()) {
      throw new ConfigException(
          "schema.distribution",
          "the database does not have the Citus extension: run CREATE EXTENSION"
              + " citus, or set 'distribution: none'");
    }
  }

  /** Refuses what cannot be distributed here, before anything is created. */
  public void check(Statement statement, SchemaOptions options) throws SQLException {
    require();
    int major = Integer.parseInt(version.split("[.-]", 2)[0]);
    if (major < OLDEST || major > NEWEST) {
      throw new ConfigException(
          "schema.distribution",
          "Citus "
              + version
              + " is not supported; supported versions are "
              + OLDEST
              + " to "
              + NEWEST);
    }
    if (Queries.text(statement, IS_WORKER).equals("t")) {
      throw new ConfigException(
          "target.url",
          "names a Citus worker first, but tables are created on the coordinator:"
              + " name the coordinator first; 'balance: others' then sends transactions to"
              + " the other hosts");
    }
    // A coordinator that knows no node keeps the shards itself.
    int nodes = Math.max(1, Integer.parseInt(Queries.text(statement, NODES)));
    if (options.replicationFactor() > nodes) {
      throw new ConfigException(
          "schema.replication-factor",
          options.replicationFactor()
              + " is more than the number of nodes that store shards: "
              + nodes);
    }
    String beside = options.colocateWith();
    if (options.colocatedWithTable()
        && Queries.text(statement, DISTRIBUTED.formatted(quoted(beside))).isEmpty()) {
      throw new ConfigException(
          "schema.colocate-with", beside + " is not a distributed table of this database");
    }
  }

  private static String quoted(String text) {
    return text.replace("'", "''");
  }

  /** Refuses a user who may not do what {@link #checkpoint} does; only looks. */
  public void checkCheckpoint(Statement statement) throws SQLException {
    String asked = installed() ? MAY_CHECKPOINT_EVERYWHERE : MAY_CHECKPOINT;
    if (!Queries.text(statement, asked).equals("t")) {
      throw new ConfigException(
          "schema.checkpoint-after-load",
          "the user may not CHECKPOINT%s: GRANT pg_checkpoint (from PostgreSQL 15 on), or be a"
                  .formatted(installed() ? " on every node of Citus" : "")
              + " superuser");
    }
  }

  /** A CHECKPOINT on every node. */
  public void checkpoint(Statement statement) throws SQLException {
    try {
      if (!installed()) {
        statement.execute("CHECKPOINT");
        return;
      }
      String failure = Queries.text(statement, CHECKPOINT_EVERYWHERE);
      if (!failure.isEmpty()) {
        throw new ConfigException("schema.checkpoint-after-load", "a node of Citus: " + failure);
      }
    } catch (SQLException e) {
      if (INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        throw new ConfigException("schema.checkpoint-after-load", Failures.firstLine(e));
      }
      throw e;
    }
  }

  /** Whether the table is distributed; it must exist. */
  public boolean distributed(Statement statement) throws SQLException {
    return installed() && !Queries.text(statement, TABLE).isEmpty();
  }

  /** Options of the section {@code schema}, as the table has them. */
  public Map<String, String> options(Statement statement, SchemaOptions asked) throws SQLException {
    Map<String, String> options = new TreeMap<>();
    options.put("distribution", SchemaOptions.NONE);
    if (!installed()) {
      return options;
    }
    int colocation = 0;
    try (ResultSet row = statement.executeQuery(TABLE)) {
      if (row.next()) {
        options.put("distribution", row.getString(1));
        options.put("shard-count", row.getString(2));
        options.put("replication-factor", "" + row.getLong(3) / row.getLong(2));
        colocation = row.getInt(4);
      }
    }
    if (asked.colocatedWithTable()) {
      String table = asked.colocateWith();
      String sql = COLOCATED.formatted(quoted(table), colocation);
      boolean together = !Queries.text(statement, sql).isEmpty();
      options.put("colocate-with", together ? table : "others");
    }
    return options;
  }
}
