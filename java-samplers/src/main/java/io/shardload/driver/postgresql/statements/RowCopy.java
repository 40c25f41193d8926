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
import java.util.List;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Writes rows by COPY. */
final class RowCopy implements RowLoad.Writer {
  /** Of a transaction. */
  private static final int MOST_BYTES = 8 << 20;

  private static final int WRITE_BYTES = 1 << 16;

  private final TableRows rows;
  private final List<SqlType> types;
  private final String sql;

  RowCopy(ServerTable table, TableRows rows) {
    this.rows = rows;
    this.types =
        rows.columns().stream()
            .map(name -> table.column(name).map(Column::type).orElse(ServerType.of("")))
            .toList();
    this.sql = "COPY %s (%s) FROM STDIN".formatted(table.sqlName(), table.sqlNames(rows.columns()));
  }

  @Override
  public void write(Connection connection, long from, long end, LongConsumer more)
      throws SQLException {
    long next = from;
    while (next < end) {
      long first = next;
      next = copy(connection, first, end);
      more.accept(next - first);
    }
  }

  /**
   * Writes rows in one transaction, while the server stores those that it has.
   *
   * @return the number of the first row that is left
   */
  private long copy(Connection connection, long from, long end) throws SQLException {
    CopyText text = new CopyText(types);
    CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
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
