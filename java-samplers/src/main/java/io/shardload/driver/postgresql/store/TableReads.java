package io.shardload.driver.postgresql.store;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.Key;
import io.shardload.workload.documentstore.port.TablePart;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/**
 * Reads the table, whole, in parts or by key. Always by COPY, which the server streams row by row:
 * memory is bounded by one row, and there are no round trips.
 */
record TableReads(Connections connections) {
  private static final String COPY_OUT =
      "COPY (SELECT " + CopyFormat.COLUMNS + " FROM data_table%s) TO STDOUT WITH (FORMAT binary)";

  /** Scans of a range of blocks exist from 14 on; before, each range would read the whole table. */
  private static final int RANGE_SCANS_FROM = 14;

  /** Blocks of a plain table; -1 for what has no blocks of its own, as a partitioned table. */
  private static final String BLOCKS =
      """
      SELECT coalesce((
        SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint
        FROM pg_class c JOIN pg_am a ON a.oid = c.relam
        WHERE c.oid = 'data_table'::regclass AND c.relkind = 'r' AND a.amname = 'heap'), -1)
      """;

  /** A part is worth a connection from this size on: half a MiB. */
  private static final long LEAST_BLOCKS = 64;

  /** So that a thread that was slow is not waited for long. */
  private static final int PARTS_PER_THREAD = 8;

  private static final int BATCH_KEYS = 1_000;

  void whole(Consumer<Document> visitor) throws CallFailure {
    rows("", visitor);
  }

  /** Ranges of blocks; a single part where the table is distributed or small. */
  List<TablePart> parts(int threads) throws CallFailure {
    long blocks = threads > 1 ? blocks() : -1;
    long count = Math.min((long) threads * PARTS_PER_THREAD, blocks / LEAST_BLOCKS);
    if (count < 2) {
      return List.of(this::whole);
    }
    List<TablePart> parts = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      String from = " WHERE ctid >= '(%d,0)'".formatted(blocks * i / count);
      // Blocks after the former last block belong to the last part.
      String end = i < count - 1 ? " AND ctid < '(%d,0)'".formatted(blocks * (i + 1) / count) : "";
      parts.add(visitor -> rows(from + end, visitor));
    }
    return parts;
  }

  private long blocks() throws CallFailure {
    try (Connection connection = connections.administrative();
        Statement statement = connection.createStatement()) {
      boolean ranges = connection.getMetaData().getDatabaseMajorVersion() >= RANGE_SCANS_FROM;
      return ranges && !Citus.of(statement).distributed(statement)
          ? Long.parseLong(Queries.text(statement, BLOCKS))
          : -1;
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  private void rows(String where, Consumer<Document> visitor) throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      copy(connection, where, visitor);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  /**
   * By filter1, of which there is an index, so that a row comes under whatever id it lies. On a
   * table that is distributed by id that would be a question to every shard: there by the whole
   * key, one query for each id of a batch.
   */
  void byKey(Iterator<Key> keys, Consumer<Document> visitor) throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      boolean byId;
      try (Statement statement = connection.createStatement()) {
        byId = Citus.of(statement).distributionColumn(statement).equals("id");
      }
      while (keys.hasNext()) {
        List<Key> batch = new ArrayList<>(BATCH_KEYS);
        while (keys.hasNext() && batch.size() < BATCH_KEYS) {
          batch.add(keys.next());
        }
        for (String where : byId ? perId(batch) : List.of(" WHERE " + filter1In(batch))) {
          copy(connection, where, visitor);
        }
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  private static List<String> perId(List<Key> keys) {
    Map<UUID, List<Key>> byId = keys.stream().collect(Collectors.groupingBy(Key::id));
    List<String> all = new ArrayList<>();
    byId.forEach((id, some) -> all.add(" WHERE id = '" + id + "' AND " + filter1In(some)));
    return all;
  }

  /** COPY takes no parameters; keys are hexadecimal digits of the workload's making. */
  private static String filter1In(List<Key> keys) {
    return keys.stream()
        .map(key -> key.filter1().replace("'", "''"))
        .collect(Collectors.joining("', '", "filter1 IN ('", "')"));
  }

  private static void copy(Connection connection, String where, Consumer<Document> visitor)
      throws SQLException {
    CopyOut copy =
        connection.unwrap(PGConnection.class).getCopyAPI().copyOut(COPY_OUT.formatted(where));
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
  }
}
