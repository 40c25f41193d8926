package io.shardload.driver.postgresql.statements.draft;

import static io.shardload.driver.postgresql.statements.draft.Values.map;

import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import io.shardload.driver.postgresql.statements.draft.Tables.Index;
import io.shardload.driver.postgresql.statements.draft.Tables.Reference;
import io.shardload.driver.postgresql.statements.draft.Tables.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Decides the order of the tables, and the values of keys and of columns that refer to others. Rows
 * are functions of their numbers, so a unique index holds only if one of its columns is distinct by
 * the way it is made; otherwise it becomes an ordinary index.
 */
final class Keys {
  /** The digits of a permuted number. */
  private static final int PERMUTED = 16;

  private static final int MOST_SMALL = 16_000;

  /** Rows of a table that is empty but needed. */
  private static final int FEW_ROWS = 100;

  /** Each after those that its foreign keys refer to, except in a circle. */
  final List<Table> ordered = new ArrayList<>();

  Keys(Collection<Table> tables) {
    Set<Table> begun = new HashSet<>();
    tables.forEach(table -> order(table, begun));
    tables.forEach(Table::chooseKey);
    Set<Table> referred = new HashSet<>();
    tables.forEach(table -> table.references.forEach(one -> referred.add(one.target())));
    for (Table table : ordered) {
      if (table.rows == 0 && (referred.contains(table) || table.key != null)) {
        table.rows = FEW_ROWS;
        table.edit("is empty: %d rows are made".formatted(FEW_ROWS));
      }
      table.references.forEach(Keys::refer);
      table.indexes.stream().filter(index -> index.unique).forEach(Keys::settle);
    }
    for (Table table : ordered) {
      table.columns.values().forEach(Keys::fill);
    }
  }

  private void order(Table table, Set<Table> begun) {
    if (begun.add(table)) {
      table.references.forEach(one -> order(one.target(), begun));
      ordered.add(table);
    }
  }

  /** The foreign keys with one column come first. */
  private static void refer(Reference reference) {
    for (int i = 0; i < reference.from().size(); i++) {
      Column from = reference.from().get(i);
      if (from.refers == null && !circular(from, reference.to().get(i))) {
        from.refers = reference.to().get(i);
      }
    }
  }

  private static boolean circular(Column from, Column to) {
    Set<Column> seen = new HashSet<>(Set.of(from));
    for (Column at = to; at != null; at = at.refers) {
      if (!seen.add(at)) {
        return true;
      }
    }
    return false;
  }

  private static void settle(Index index) {
    if (index.distinct().findAny().isPresent()) {
      return;
    }
    boolean alone = index.columns.size() == 1;
    Optional<Column> own =
        candidates(index.columns)
            .filter(one -> one.refers == null && makeDistinct(one, alone))
            .findFirst();
    if (own.isEmpty() && !followsParent(index)) {
      index.unique = false;
      index
          .columns
          .get(0)
          .table
          .edit(
              "%s (%s) is an ordinary index, because its values are not distinct: make a column of it sequential"
                  .formatted(
                      index.primary ? "the primary key" : "unique index " + index.name,
                      String.join(", ", index.columns.stream().map(one -> one.name).toList())));
    }
  }

  /** The last column first; the first one of several groups the rows, and stays as it is. */
  private static Stream<Column> candidates(List<Column> columns) {
    return columns.size() == 1
        ? columns.stream()
        : IntStream.range(1, columns.size()).mapToObj(i -> columns.get(columns.size() - i));
  }

  /** Gives a column that refers to no other one values that differ, if its type allows it. */
  private static boolean makeDistinct(Column column, boolean alone) {
    boolean numbers = column.isWhole() || column.type.equals("numeric");
    boolean isText = column.isText() || column.becomesText();
    boolean isShort = column.isText() && column.mostCharacters() < PERMUTED;
    if (!alone && (isShort || (isText && Values.repeats(column)))) {
      return false;
    }
    if (column.type.equals("int2") && column.table.rows > MOST_SMALL) {
      column.table.edit(
          "column %s is too small to number the rows: here it is bigint".formatted(column.name));
      column.shown = "bigint";
    }
    if (isText) {
      if (isShort) {
        column.table.edit(
            "column %s is too short for generated keys: here it is text".formatted(column.name));
        column.becomeText();
      }
      column.values = map("type: permuted");
    } else if (numbers) {
      column.values = map("type: sequential");
    } else if (column.type.equals("uuid")) {
      column.values = map("type: uuid");
    } else {
      return false;
    }
    column.distinct = true;
    return true;
  }

  /** Row n refers to row n of a table that has as many rows. */
  private static boolean followsParent(Index index) {
    for (Column column : index.columns) {
      Column to = column.refers;
      if (to != null
          && to.values != null
          && to.values.get("type").getAsString().equals("sequential")
          && to.table.rows >= column.table.rows) {
        column.values = map("type: sequential");
        column.distinct = true;
        return true;
      }
    }
    return false;
  }

  private static void fill(Column column) {
    if (column.refers != null) {
      column.shown = column.refers.shown;
    }
    if (column.values == null) {
      column.values = column.refers == null ? Values.of(column) : Values.reference(column);
    }
  }

  /** The constraints that hold for generated rows; the others become lines to edit. */
  List<Reference> kept(Table table) {
    List<Reference> kept = new ArrayList<>();
    for (Reference one : table.references) {
      Column to = one.to().get(0);
      boolean earlier = ordered.indexOf(one.target()) < ordered.indexOf(table);
      if (one.single() && earlier && one.from().get(0).refers == to && unique(to)) {
        kept.add(one);
      } else {
        table.edit(
            "the foreign key (%s) to %s is left out: %s"
                .formatted(
                    String.join(", ", one.from().stream().map(from -> from.name).toList()),
                    one.target().name,
                    !one.single()
                        ? "its columns get values of different rows"
                        : earlier ? "it has no unique values to refer to" : "the rows come later"));
      }
    }
    return kept;
  }

  private static boolean unique(Column column) {
    return column.table.indexes.stream()
        .anyMatch(one -> one.unique && one.columns.equals(List.of(column)));
  }
}
