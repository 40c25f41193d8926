package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.statements.RowLoad;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.ServerTable.Column;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.postgresql.statements.types.CopyText;
import io.shardload.driver.postgresql.statements.types.ServerType;
import io.shardload.workload.statements.port.TableRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows by COPY.
 *
 * <p>Rows of a load that is continued may exist. The server then refuses them; they are copied into
 * a temporary table, from which only the missing ones are inserted.
 */
final class RowCopy implements RowLoad.Writer {
  private static final String COPY = "COPY %s (%s) FROM STDIN";
  private static final String BATCH = "shardload_batch";
  private static final String CREATE_BATCH =
      "CREATE TEMPORARY TABLE %s (LIKE %s INCLUDING DEFAULTS) ON COMMIT DROP";
  private static final String INSERT_MISSING =
      "INSERT INTO %1$s (%2$s) SELECT %2$s FROM %3$s ON CONFLICT DO NOTHING";

  /**
   * How an existing key may be reported: as a unique violation, or by Citus as an internal error,
   * because Citus reports errors of a shard's COPY this way.
   */
  private static final Set<String> MAYBE_DUPLICATE = Set.of("23505", "XX000");

  /** Of a transaction. */
  private static final int MOST_BYTES = 8 << 20;

  private static final int WRITE_BYTES = 1 << 16;

  private final TableRows rows;
  private final List<SqlType> types;
  private final String table;
  private final String columns;
  private final boolean isContinued;

  /**
   * @param isContinued whether rows may exist, of a primary key that refuses a second one
   */
  RowCopy(ServerTable table, TableRows rows, boolean isContinued) {
    this.rows = rows;
    this.table = table.sqlName();
    this.columns = table.sqlNames(rows.columns());
    this.isContinued = isContinued;
    this.types =
        rows.columns().stream()
            .map(name -> table.column(name).map(Column::type).orElse(ServerType.of("")))
            .toList();
  }

  @Override
  public void write(Connection connection, long from, long end, LongConsumer more)
      throws SQLException {
    long next = from;
    while (next < end) {
      long first = next;
      next = copyOrInsert(connection, first, end);
      more.accept(next - first);
    }
  }

  /** The first rows as COPY reads them. */
  byte[] text(int count) {
    CopyText text = new CopyText(types);
    for (int number = 0; number < count; number++) {
      text.add(rows.row(number));
    }
    return text.bytes();
  }

  /** Writes all rows of a text in one transaction. */
  void send(Connection connection, byte[] text) throws SQLException {
    CopyIn copy =
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn(COPY.formatted(table, columns));
    for (int at = 0; at < text.length; at += WRITE_BYTES) {
      copy.writeToCopy(text, at, Math.min(WRITE_BYTES, text.length - at));
    }
    copy.endCopy();
  }

  private long copyOrInsert(Connection connection, long from, long end) throws SQLException {
    try {
      return copy(connection, table, from, end);
    } catch (SQLException e) {
      if (!isContinued || !MAYBE_DUPLICATE.contains(String.valueOf(e.getSQLState()))) {
        throw e;
      }
      // Any other internal error meets this as well, or is over.
      return insertMissing(connection, from, end);
    }
  }

  private long insertMissing(Connection connection, long from, long end) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(CREATE_BATCH.formatted(BATCH, table));
      long next = copy(connection, BATCH, from, end);
      statement.execute(INSERT_MISSING.formatted(table, columns, BATCH));
      connection.commit();
      connection.setAutoCommit(true);
      return next;
    }
  }

  /**
   * Writes rows in one transaction, while the server stores those that it has.
   *
   * @return the number of the first row that is left
   */
  private long copy(Connection connection, String into, long from, long end) throws SQLException {
    CopyText text = new CopyText(types);
    CopyIn copy =
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn(COPY.formatted(into, columns));
    try {
      long next = from;
      long sent = 0;
      while (next < end && sent < MOST_BYTES) {
        text.add(rows.row(next++));
        if (text.length() >= WRITE_BYTES || next == end) {
          sent += text.length();
          text.sendTo(copy);
        }
      }
      copy.endCopy();
      return next;
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }
}
