package io.shardload.driver.postgresql;

import io.shardload.config.ConfigException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.Document;
import io.shardload.workload.documentstore.DocumentStoreAdmin;
import io.shardload.workload.documentstore.DocumentStoreScratch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** Makes, fills and reads the whole table. */
final class PostgresqlAdmin implements DocumentStoreAdmin {
  private static final String SCHEMA = "/schemas/document-store/postgresql.sql";

  /** Name and type of every column that the table must have, and no others. */
  private static final Map<String, String> COLUMNS = columns();

  private static final String ACTUAL_COLUMNS =
      """
      SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = to_regclass('data_table') AND attnum > 0 AND NOT attisdropped
      ORDER BY attnum
      """;
  private static final String DROP =
      "DROP TABLE IF EXISTS data_table, shardload_header, shardload_state";
  private static final String COUNT = "SELECT count(*) FROM data_table";
  private static final String COPY_OUT =
      "COPY (SELECT " + CopyFormat.COLUMNS + " FROM data_table) TO STDOUT WITH (FORMAT binary)";

  private final Connections connections;
  private final Settings settings;

  PostgresqlAdmin(Connections connections, Settings settings) {
    this.connections = connections;
    this.settings = settings;
  }

  @Override
  public boolean createSchema(boolean recreate) throws CallFailure {
    try (Connection connection = connections.administrative();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      if (recreate) {
        statement.execute(DROP);
      }
      Map<String, String> actual = actualColumns(statement);
      if (actual.isEmpty()) {
        statement.execute(schema());
      } else {
        check(actual);
      }
      connection.commit();
      return actual.isEmpty();
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public long count() throws CallFailure {
    try (Connection connection = connections.unlimited();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(COUNT)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public void load(Iterator<Document> documents, LongConsumer progress) throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      new CopyLoad(connection).load(documents, progress);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public DocumentStoreScratch scratch() throws CallFailure {
    return ScratchSchema.create(connections, settings);
  }

  /**
   * {@inheritDoc}
   *
   * <p>By COPY, which the server streams row by row: memory is bounded by one row, and there are no
   * round trips.
   */
  @Override
  public void walk(Consumer<Document> visitor) throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      CopyOut copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut(COPY_OUT);
      try {
        CopyFormat.Decoder decoder = new CopyFormat.Decoder();
        for (byte[] bytes = copy.readFromCopy(); bytes != null; bytes = copy.readFromCopy()) {
          decoder.decode(bytes, visitor);
        }
      } finally {
        if (copy.isActive()) {
          copy.cancelCopy();
        }
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  private static Map<String, String> actualColumns(Statement statement) throws SQLException {
    Map<String, String> actual = new LinkedHashMap<>();
    try (ResultSet rows = statement.executeQuery(ACTUAL_COLUMNS)) {
      while (rows.next()) {
        actual.put(rows.getString(1), rows.getString(2));
      }
    }
    return actual;
  }

  private static void check(Map<String, String> actual) {
    COLUMNS.forEach(
        (name, type) -> {
          if (!actual.containsKey(name)) {
            throw otherShape("has no column " + name);
          }
          if (!actual.get(name).equals(type)) {
            throw otherShape(
                "has column " + name + " as " + actual.get(name) + " instead of " + type);
          }
        });
    for (String name : actual.keySet()) {
      if (!COLUMNS.containsKey(name)) {
        throw otherShape("has a column " + name + " that is not ours");
      }
    }
  }

  private static ConfigException otherShape(String what) {
    return new ConfigException(
        "target.url",
        "table data_table is there and "
            + what
            + "; use another database, or drop it with: shardload load --recreate");
  }

  private static Map<String, String> columns() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put("id", "uuid");
    columns.put("filter1", "character varying(128)");
    columns.put("filter2", "character varying(128)");
    columns.put("filter3", "bigint");
    columns.put("filter4", "character varying(256)");
    columns.put("filter5", "character varying(256)");
    columns.put("document", "text");
    columns.put("edition", "integer");
    columns.put("created", "timestamp without time zone");
    columns.put("updated", "timestamp without time zone");
    return columns;
  }

  private static String schema() {
    try (InputStream in = PostgresqlAdmin.class.getResourceAsStream(SCHEMA)) {
      if (in == null) {
        throw new IllegalStateException(SCHEMA + " is not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
