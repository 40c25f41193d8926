package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.facts.CitusStorage;
import io.shardload.workload.statements.port.Storage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Sizes of tables and their indexes, those of all partitions and shards added up, read within the
 * connection's transaction.
 */
public record TableSizes(Connection connection, Statement statement) {
  private static final String PARTS =
      "(SELECT '%1$s'::regclass AS oid UNION SELECT relid FROM pg_partition_tree('%1$s'::regclass))";
  private static final String TABLE =
      "SELECT sum(pg_table_size(oid)), (SELECT reltuples::bigint FROM pg_class"
          + " WHERE oid = '%1$s'::regclass), sum(pg_relation_size(oid)),"
          + " coalesce(sum(pg_total_relation_size(nullif(reltoastrelid, 0))), 0) FROM "
          + PARTS
          + " p JOIN pg_class USING (oid)";

  /** How columns without a limit are kept, those of the same kind together. */
  private static final String COLUMNS =
      """
      SELECT string_agg(attname::text, ', ' ORDER BY attnum),
        CASE attstorage WHEN 'p' THEN 'plain' WHEN 'e' THEN 'external' WHEN 'm' THEN 'main'
          ELSE 'extended' END,
        CASE attcompression WHEN 'p' THEN 'pglz' WHEN 'l' THEN 'lz4'
          ELSE current_setting('default_toast_compression') END
      FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped
        AND atttypid IN ('text'::regtype, 'json'::regtype, 'jsonb'::regtype, 'bytea'::regtype)
      GROUP BY 2, 3
      """;

  private static final String INDEXES =
      "SELECT indexrelid::regclass::text, pg_relation_size(indexrelid)"
          + " FROM pg_index WHERE indrelid IN (SELECT oid FROM "
          + PARTS
          + " p) ORDER BY 1";

  /** A plan names a table without its schema: first the one that statements see. */
  private static final String ROWS =
      "SELECT oid::regclass::text, reltuples::bigint FROM pg_class WHERE relname = ?"
          + " AND relkind IN ('r', 'p', 'm') ORDER BY pg_table_is_visible(oid) DESC LIMIT 1";

  /** Keys as those of the document store; placements have their table as well. */
  public Map<String, Object> read(List<String> tables) throws SQLException {
    Map<String, Storage> all = new LinkedHashMap<>();
    for (String table : tables) {
      Optional<String> name = TableSql.sqlName(connection, table);
      if (name.isEmpty()) {
        continue;
      }
      all.put(
          table,
          TableSql.distributed(statement, name.get())
              ? CitusStorage.read(statement, name.get())
              : plain(name.get()));
    }
    return Storage.sum(all);
  }

  /**
   * Rows of a table, or on Citus of one of its shards, as of the last ANALYZE; 0 if that is not
   * known.
   *
   * @param table as a plan has it
   */
  public static long rows(Connection connection, String table) throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(ROWS);
        Statement statement = connection.createStatement()) {
      asked.setString(1, table);
      try (ResultSet row = asked.executeQuery()) {
        if (!row.next()) {
          return 0;
        }
        String name = row.getString(1);
        return TableSql.distributed(statement, name)
            ? perShard(CitusStorage.read(statement, name))
            : Math.max(0, row.getLong(2));
      }
    }
  }

  private static long perShard(Storage storage) {
    return (long)
        storage.placements().stream()
            .mapToLong(at -> Math.max(0, at.documents()))
            .average()
            .orElse(0);
  }

  private Storage plain(String name) throws SQLException {
    String literal = name.replace("'", "''");
    Map<String, Long> indexes = new TreeMap<>();
    try (ResultSet row = statement.executeQuery(INDEXES.formatted(literal))) {
      while (row.next()) {
        indexes.put(row.getString(1), row.getLong(2));
      }
    }
    try (ResultSet row = statement.executeQuery(TABLE.formatted(literal))) {
      row.next();
      long bytes = row.getLong(1);
      Storage.Placement all = new Storage.Placement(name, "the server", row.getLong(2), bytes);
      Map<String, String> facts = new TreeMap<>();
      facts.put("heap_bytes", row.getString(3));
      facts.put("toast_bytes", row.getString(4));
      columns(literal, facts);
      return new Storage(bytes, indexes, List.of(all), facts);
    }
  }

  private void columns(String literal, Map<String, String> facts) throws SQLException {
    try (ResultSet row = statement.executeQuery(COLUMNS.formatted(literal))) {
      while (row.next()) {
        facts.put(row.getString(1) + "_storage", row.getString(2));
        facts.put(row.getString(1) + "_compression", row.getString(3));
      }
    }
  }
}
