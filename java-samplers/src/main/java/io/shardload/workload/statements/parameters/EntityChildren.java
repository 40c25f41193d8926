package io.shardload.workload.statements.parameters;

import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.ValueType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table whose rows belong to a row of the entity: inserts and deletes of that row cover them, and
 * verification expects them exactly where it is. Immutable and thread-safe.
 *
 * @param name by which statements that are repeated for each row name its columns
 * @param key index of the column that identifies a row
 * @param link index of the column with the key of the entity's row
 * @param sorted index of the column in whose order repeated statements visit the rows; -1 for the
 *     order of the rows
 * @param stored whether the table is loaded. Otherwise its rows exist as a list alone
 */
public record EntityChildren(
    String name, Table table, int key, int link, Family family, int sorted, boolean stored) {
  public String keyColumn() {
    return table.columns().get(key);
  }

  public String linkColumn() {
    return table.columns().get(link);
  }

  /** The number of the row with this key; negative if no row can have it. */
  public long rowOf(Object value) {
    return ((Entity.Key) table.made().get(key).values()).rowOf(value);
  }

  /** The number of the entity's row that a row belongs to. */
  public long parentOf(long row) {
    return family.place(row).parent();
  }

  /** A row in words. */
  public String words(long row) {
    return "%s with %s %s".formatted(table.table(), keyColumn(), table.made().get(key).at(row));
  }

  /** The first column that has not what was written there, by its name; or null. */
  public String defect(List<?> read, Equality equality, long row) {
    for (int i = 0; i < read.size(); i++) {
      if (!table.made().get(i).holds(equality, i, read.get(i), new Occasion.Row(row, 0, 0))) {
        return table.columns().get(i);
      }
    }
    return null;
  }

  private Column order() {
    return sorted < 0 ? null : table.made().get(sorted);
  }

  List<String> parts() {
    return table.columns().stream().map(column -> name + "." + column).toList();
  }

  Map<String, ValueType> types() {
    Map<String, ValueType> types = new HashMap<>();
    for (int i = 0; i < table.columns().size(); i++) {
      types.put(name + "." + table.columns().get(i), table.types().get(i));
    }
    return types;
  }

  /** What a statement names by the table's name and a path; empty if it is something else. */
  Optional<Parameter> named(String first, List<String> path) {
    int index = name.equals(first) ? table.columns().indexOf(path.get(0)) : -1;
    if (index < 0) {
      return Optional.empty();
    }
    Column column = table.made().get(index);
    List<String> fields = path.subList(1, path.size());
    return (fields.isEmpty()
            ? Optional.of(column)
            : Composites.field(column.values(), fields).map(column::with))
        .map(one -> new Children.OfEachChild(name, family, one, order()));
  }
}
