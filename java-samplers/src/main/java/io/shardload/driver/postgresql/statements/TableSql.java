package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Statements about tables of any name. */
public final class TableSql {
  // Otherwise Citus refuses references between tables that one transaction distributes.
  private static final String SEQUENTIAL =
      "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";
  private static final String DISTRIBUTED =
      "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = '%s'::regclass";

  private TableSql() {}

  /** Drops the existing tables in one statement: they may refer to each other. */
  public static void drop(Connection connection, Statement statement, List<String> tables)
      throws SQLException {
    List<String> names = new ArrayList<>();
    for (String table : tables) {
      ServerTable.sqlName(connection, table).ifPresent(names::add);
    }
    if (!names.isEmpty()) {
      statement.execute("DROP TABLE " + String.join(", ", names));
    }
  }

  /** Lets one transaction make and distribute several tables of Citus. */
  public static void sequentially(Statement statement) throws SQLException {
    if (Citus.of(statement).installed()) {
      statement.execute(SEQUENTIAL);
    }
  }

  /**
   * Whether Citus keeps the rows of a table in shards.
   *
   * @param name as SQL writes it
   */
  public static boolean distributed(Statement statement, String name) throws SQLException {
    return Citus.of(statement).installed()
        && !Queries.text(statement, DISTRIBUTED.formatted(name.replace("'", "''"))).equals("0");
  }
}
