package io.shardload.workload.statements.parameters;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;
import io.shardload.workload.statements.port.Values;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The types {@code parent}, {@code position} and {@code children}: values by which rows of a table
 * and of its child table are related; and the values of statements that are repeated for each of
 * them.
 */
final class Children {
  static final String TABLE = "table";
  static final String COLUMN = "column";
  static final String COLUMNS = "columns";
  static final String FROM = "from";

  private Children() {}

  /** The value of a column in the row's parent. */
  record OfParent(Family family, Column column) implements Parameter {
    @Override
    public ValueType type() {
      return column.values().type();
    }

    @Override
    public boolean dated() {
      return column.values().dated();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return column.at(family.place(occasion.row().number()).parent());
    }
  }

  /** The row's place among the rows of its parent. */
  record OfPosition(Family family, long from) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return from + family.place(occasion.row().number()).position();
    }
  }

  /** The rows of the child table that belong to the row, as a list of objects. */
  record OfChildren(Family family, List<Column> columns) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.LIST;
    }

    @Override
    public boolean dated() {
      return columns.stream().anyMatch(column -> column.values().dated());
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long parent = occasion.row().number();
      long first = family.first(parent);
      long count = family.count(parent);
      JsonArray list = new JsonArray((int) count);
      for (long i = 0; i < count; i++) {
        Occasion row = Occasion.row(first + i);
        JsonObject child = new JsonObject();
        for (Column column : columns) {
          child.add(column.name(), Values.json(column.at(new Draws(), row)));
        }
        list.add(child);
      }
      return list;
    }
  }

  /**
   * A column of each child of the row that a call works on.
   *
   * @param order the column that gives the order of the children; null for the order of the rows
   */
  record OfEachChild(String list, Family family, Column column, Column order)
      implements Parameter.Repeated {
    @Override
    public long least() {
      return family.least();
    }

    @Override
    public long most() {
      return family.most();
    }

    @Override
    public ValueType type() {
      return column.values().type();
    }

    /** A child and its value in the column that gives the order. */
    private record Visited(long row, Object by) {}

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long parent = occasion.row().number();
      long first = family.first(parent);
      LongStream rows = LongStream.range(first, first + family.count(parent));
      return order == null
          ? rows.mapToObj(column::at).toArray()
          : rows.boxed()
              .map(row -> new Visited(row, order.at(row)))
              .sorted((a, b) -> Values.compare(a.by, b.by).orElse(0))
              .map(visited -> column.at(visited.row))
              .toArray();
    }
  }

  /** A field of each element of a list that is a parameter of the call. */
  record OfEachElement(String list, Spec.Range length, List<String> path, ValueType type)
      implements Parameter.Repeated {
    @Override
    public long least() {
      return length.least();
    }

    @Override
    public long most() {
      return length.most();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      List<JsonElement> elements = ((JsonArray) occasion.call().apply(list)).asList();
      return elements.stream().map(one -> Composites.at(one, path, type)).toArray();
    }

    @Override
    public Stream<String> needs() {
      return Stream.of(list);
    }
  }
}
