package io.shardload.driver.postgresql.schema;

import io.shardload.driver.jdbc.client.Queries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** What PostgreSQL's catalog says of the table: the options that it was made with. */
public final class Catalog {
  private static final String DOCUMENT =
      """
      SELECT attstorage, attcompression FROM pg_attribute
      WHERE attrelid = 'data_table'::regclass AND attname = 'document'
      """;
  private static final String INDEXES =
      """
      SELECT string_agg(DISTINCT coalesce(amname, 'missing'), ' and ')
      FROM unnest(ARRAY['filter1', 'filter4', 'filter5']) AS suffix
      LEFT JOIN pg_class ON pg_class.oid = to_regclass('data_table_' || suffix)
      LEFT JOIN pg_am ON pg_am.oid = relam
      """;

  private Catalog() {}

  /** Options of the section {@code schema}, as the table has them. */
  public static Map<String, String> options(Statement statement) throws SQLException {
    Map<String, String> options = new TreeMap<>();
    try (ResultSet row = statement.executeQuery(DOCUMENT)) {
      row.next();
      String storage = row.getString(1);
      options.put("document-storage", SchemaOptions.DocumentStorage.wordOf(storage));
      if (storage.equals(SchemaOptions.DocumentStorage.TOAST_COMPRESSED.catalog)) {
        options.put(
            "compression",
            switch (row.getString(2)) {
              case "p" -> "pglz";
              case "l" -> "lz4";
              default -> SchemaOptions.SERVERS_DEFAULT;
            });
      }
    }
    options.put("index", Queries.text(statement, INDEXES));
    return options;
  }
}
