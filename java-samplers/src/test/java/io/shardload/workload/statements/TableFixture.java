package io.shardload.workload.statements;

import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.ArrayList;
import java.util.List;

/** Tables of two columns: a number and a text of as many letters. */
final class TableFixture {
  private TableFixture() {}

  /** Names and numbers of rows in turn. */
  static Tables tables(Object... all) {
    List<Tables.Sized> tables = new ArrayList<>();
    for (int i = 0; i < all.length; i += 2) {
      tables.add(new Tables.Sized(rows((String) all[i]), (Integer) all[i + 1]));
    }
    return new Tables(tables);
  }

  private static TableRows rows(String name) {
    return new TableRows() {
      @Override
      public String table() {
        return name;
      }

      @Override
      public List<String> columns() {
        return List.of("id", "name");
      }

      @Override
      public List<ValueType> types() {
        return List.of(ValueType.INTEGER, ValueType.TEXT);
      }

      @Override
      public Object[] row(long number) {
        return new Object[] {number, "\u00f8".repeat((int) number)};
      }
    };
  }
}
