package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.statements.port.TableRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.function.LongConsumer;

/** Writes rows by INSERT: one at a time, or in batches of one message each. */
public final class RowInserts implements RowLoad.Writer {
  private static final int BATCH = 1_000;

  private final TableRows rows;
  private final List<SqlType> types;
  private final String sql;

  public RowInserts(ServerTable table, TableRows rows) {
    this.rows = rows;
    this.types = table.types(rows.columns());
    String marks = String.join(", ", Collections.nCopies(rows.columns().size(), "?"));
    this.sql =
        "INSERT INTO %s (%s) VALUES (%s)"
            .formatted(table.sqlName(), table.sqlNames(rows.columns()), marks);
  }

  @Override
  public void write(Connection connection, long from, long end, LongConsumer more)
      throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (long i = from; i < end; i++) {
        set(insert, i);
        insert.addBatch();
        if (i + 1 == end || (i + 1 - from) % BATCH == 0) {
          insert.executeBatch();
        }
      }
    }
    connection.commit();
    more.accept(end - from);
  }

  private void set(PreparedStatement insert, long row) throws SQLException {
    Object[] values = rows.row(row);
    for (int c = 0; c < values.length; c++) {
      types.get(c).set(insert, c + 1, values[c]);
    }
  }

  /** Writes rows within the transaction of the connection. */
  void each(Connection connection, long from, long end) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (long i = from; i < end; i++) {
        set(insert, i);
        insert.execute();
      }
    }
  }
}
