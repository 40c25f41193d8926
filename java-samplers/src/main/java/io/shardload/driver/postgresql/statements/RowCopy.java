package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.statements.RowLoad;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.ServerTable.Column;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.postgresql.statements.types.CopyText;
import io.shardload.driver.postgresql.statements.types.ServerType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;

/** Writes rows by COPY. */
final class RowCopy implements RowLoad.Writer {
  private static final int MOST_CHARACTERS = 8 << 20;

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
      throws SQLException, CallFailure {
    CopyText text = new CopyText(types);
    long first = from;
    for (long number = from; number < end; number++) {
      text.add(rows.row(number));
      if (text.length() > MOST_CHARACTERS || number == end - 1) {
        send(connection, text);
        more.accept(number + 1 - first);
        text = new CopyText(types);
        first = number + 1;
      }
    }
  }

  private void send(Connection connection, CopyText text) throws SQLException, CallFailure {
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(sql, new StringReader(text.toString()));
    } catch (IOException e) {
      throw new CallFailure("copy-failed", false, false, e.toString());
    }
  }
}
