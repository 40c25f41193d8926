package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.types.Limit;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.statements.types.ServerType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tables by the server's catalog, and statements about tables of any name. */
final class TableSql {
  // As in a statement without quotes; then by the very name.
  private static final String NAME =
      "SELECT coalesce(to_regclass(?), to_regclass(quote_ident(?)))::text";

  private static final String COLUMNS =
      """
      SELECT attname, quote_ident(attname), coalesce(base.typname, t.typname),
        attnotnull AND NOT atthasdef AND attidentity = '', attgenerated <> '' OR attidentity = 'a',
        CASE WHEN base.oid IS NULL THEN atttypmod ELSE t.typtypmod END
      FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
        LEFT JOIN pg_type base ON t.typtype = 'd' AND base.oid = t.typbasetype
      WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
      """;

  private static final String KEY =
      """
      SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
      WHERE indrelid = ?::regclass AND indisprimary
      """;

  private static final String REFERRED =
      """
      SELECT DISTINCT confrelid::regclass::text FROM pg_constraint
      WHERE contype = 'f' AND conrelid = ?::regclass AND confrelid <> conrelid ORDER BY 1
      """;

  // Otherwise Citus refuses references between tables that one transaction distributes.
  private static final String SEQUENTIAL =
      "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";
  private static final String DISTRIBUTED =
      "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = '%s'::regclass";

  /** What precedes the limits in a type's modifier. */
  private static final int HEADER = 4;

  private static final int PRECISION_SHIFT = 16;
  private static final int PRECISION_MASK = 0xFFFF;

  /** Eleven bits with a sign, since PostgreSQL 15; before, never negative. */
  private static final int SCALE_MASK = 0x7FF;

  private static final int SCALE_SIGN = 0x400;

  private TableSql() {}

  /** Whether the table has a primary key of some of these columns alone. */
  static boolean hasKey(Connection connection, ServerTable table, List<String> names)
      throws SQLException {
    Set<String> own = table.named(names);
    boolean has = false;
    try (PreparedStatement statement = connection.prepareStatement(KEY)) {
      statement.setString(1, table.sqlName());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          if (!own.contains(row.getString(1))) {
            return false;
          }
          has = true;
        }
      }
    }
    return has;
  }

  /** The name as SQL writes it; empty if there is no such table on the search path. */
  static Optional<String> sqlName(Connection connection, String table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(NAME)) {
      statement.setString(1, table);
      statement.setString(2, table);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getString(1));
      }
    }
  }

  /** The table with its columns; empty if there is none of this name. */
  static Optional<ServerTable> find(Connection connection, String table) throws SQLException {
    Optional<String> name = sqlName(connection, table);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Map<String, ServerTable.Column> columns =
        ServerTable.columns(
            connection,
            COLUMNS,
            name.get(),
            row -> limit(ServerType.of(row.getString(3)), row.getInt(6)));
    return Optional.of(new ServerTable(name.get(), columns));
  }

  /**
   * A column's limit.
   *
   * @param modifier of the type as {@code pg_attribute} has it; negative where there is none
   */
  private static Limit limit(ServerType type, int modifier) {
    int bits = modifier - HEADER;
    if (bits < 0) {
      return new Limit(type, 0, 0);
    }
    return switch (type.kind()) {
      case TEXT, PADDED -> new Limit(type, bits, 0);
      case NUMERIC ->
          new Limit(
              type,
              (bits >> PRECISION_SHIFT) & PRECISION_MASK,
              ((bits & SCALE_MASK) ^ SCALE_SIGN) - SCALE_SIGN);
      default -> new Limit(type, 0, 0);
    };
  }

  /** The tables that a table's foreign keys refer to, by their names as SQL writes them. */
  static List<String> referred(Connection connection, ServerTable table) throws SQLException {
    return Queries.texts(connection, REFERRED, table.sqlName());
  }

  /** Drops the existing tables in one statement: they may refer to each other. */
  static void drop(Connection connection, Statement statement, List<String> tables)
      throws SQLException {
    List<String> names = new ArrayList<>();
    for (String table : tables) {
      sqlName(connection, table).ifPresent(names::add);
    }
    if (!names.isEmpty()) {
      statement.execute("DROP TABLE " + String.join(", ", names));
    }
  }

  /** Lets one transaction make and distribute several tables of Citus. */
  static void sequentially(Statement statement) throws SQLException {
    if (Citus.of(statement).installed()) {
      statement.execute(SEQUENTIAL);
    }
  }

  /**
   * Whether Citus keeps the rows of a table in shards.
   *
   * @param name as SQL writes it
   */
  static boolean distributed(Statement statement, String name) throws SQLException {
    return Citus.of(statement).installed()
        && !Queries.text(statement, DISTRIBUTED.formatted(name.replace("'", "''"))).equals("0");
  }
}
