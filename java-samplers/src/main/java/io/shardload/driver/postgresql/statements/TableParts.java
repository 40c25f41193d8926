package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Ranges of the blocks of a table, which are read at the same time. */
final class TableParts {
  /** The condition of a table that is read as a whole. */
  private static final String WHOLE = "";

  /** Scans of a range of blocks exist from 14 on; before, each range would read the whole table. */
  private static final int RANGE_SCANS_FROM = 14;

  /** Blocks of a plain table; -1 for what has no blocks of its own, as a partitioned table. */
  private static final String BLOCKS =
      """
      SELECT coalesce((
        SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint
        FROM pg_class c JOIN pg_am a ON a.oid = c.relam
        WHERE c.oid = '%s'::regclass AND c.relkind = 'r' AND a.amname = 'heap'), -1)
      """;

  /** A part is worth a connection from this size on: half a MiB. */
  private static final long LEAST_BLOCKS = 64;

  /** So that a thread that was slow is not waited for long. */
  private static final int PARTS_PER_THREAD = 8;

  private TableParts() {}

  /**
   * The condition of each part; a single one where the table is distributed or small.
   *
   * @param table its name as SQL writes it
   */
  static List<String> of(Connection connection, Statement statement, String table, int threads)
      throws SQLException {
    long blocks = threads > 1 ? blocks(connection, statement, table) : -1;
    long count = Math.min((long) threads * PARTS_PER_THREAD, blocks / LEAST_BLOCKS);
    if (count < 2) {
      return List.of(WHOLE);
    }
    List<String> parts = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      String from = " WHERE ctid >= '(%d,0)'".formatted(blocks * i / count);
      // Blocks after the former last block belong to the last part.
      String end = i < count - 1 ? " AND ctid < '(%d,0)'".formatted(blocks * (i + 1) / count) : "";
      parts.add(from + end);
    }
    return parts;
  }

  private static long blocks(Connection connection, Statement statement, String table)
      throws SQLException {
    boolean ranges = connection.getMetaData().getDatabaseMajorVersion() >= RANGE_SCANS_FROM;
    return ranges && !TableSql.distributed(statement, table)
        ? Long.parseLong(Queries.text(statement, BLOCKS.formatted(table.replace("'", "''"))))
        : -1;
  }
}
