package io.shardload.workload.statements.data;

import io.shardload.workload.statements.parameters.Table;
import java.util.ArrayList;
import java.util.List;

/** Tables whose rows nobody looks at. */
final class TableFixture {
  private TableFixture() {}

  /** Names and numbers of rows in turn. */
  static Tables tables(Object... all) {
    List<Table> tables = new ArrayList<>();
    for (int i = 0; i < all.length; i += 2) {
      tables.add(new Table((String) all[i], (Integer) all[i + 1], List.of(), List.of()));
    }
    return new Tables(tables);
  }
}
