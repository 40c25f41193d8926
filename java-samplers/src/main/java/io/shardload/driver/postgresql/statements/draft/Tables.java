package io.shardload.driver.postgresql.statements.draft;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Tables as the catalog has them, and what is decided about them on the way to a folder. */
final class Tables {
  private Tables() {}

  /** A table; not a partition. */
  static final class Table {

    /** As SQL writes it, with its schema. */
    final String source;

    /** Rows by the server's estimate; negative if it has none. */
    final long estimate;

    final String fillfactor;
    final Map<Integer, Column> columns = new TreeMap<>();
    final List<Index> indexes = new ArrayList<>();
    final List<Reference> references = new ArrayList<>();
    final List<String> edits = new ArrayList<>();

    /** In the folder, and as SQL writes it there. */
    String name;

    String sql;
    long rows;

    /** By which rows are read; null if there is none. It need not be unique in the folder. */
    Index key;

    Table(String source, long estimate, String fillfactor) {
      this.source = source;
      this.estimate = estimate;
      this.fillfactor = fillfactor;
    }

    void edit(String text) {
      edits.add("table %s: %s".formatted(name, text));
    }

    /** The primary key; or the first unique index whose columns are never NULL. */
    void chooseKey() {
      key =
          indexes.stream()
              .filter(one -> one.unique && one.columns.stream().allMatch(column -> column.needed))
              .findFirst()
              .orElse(null);
    }
  }

  /** A column. */
  static final class Column {
    final Table table;
    final String name;
    final String sql;

    /** As in pg_type, that of a domain's base; of an array's elements, or empty. */
    final String type;

    final String element;
    final int modifier;
    final boolean needed;

    /** Labels of the enum, or of the elements' one; 0 for other types. */
    final int labels;

    /** As a schema file writes it. */
    String shown;

    /** What the sample found, by the type; empty without a sample. */
    String[] figures = {};

    /** Whether no two rows have the same value, by the way they are made. */
    boolean distinct;

    /** The column whose values it has; null if there is none. */
    Column refers;

    JsonObject values;

    Column(Table table, String name, String sql, String[] type, boolean needed, int labels) {
      this.table = table;
      this.name = name;
      this.sql = sql;
      this.type = type[0];
      this.element = type[1];
      this.modifier = Integer.parseInt(type[2]);
      this.shown = type[3];
      this.needed = needed;
      this.labels = labels;
    }

    boolean isText() {
      return List.of("text", "varchar", "bpchar", "name", "char").contains(type);
    }

    boolean isWhole() {
      return List.of("int2", "int4", "int8").contains(type);
    }

    /** The most characters of a text; large if there is no limit. */
    int mostCharacters() {
      return switch (type) {
        case "varchar", "bpchar" -> modifier < 0 ? Integer.MAX_VALUE : modifier - 4;
        case "char" -> 1;
        case "name" -> 63;
        default -> Integer.MAX_VALUE;
      };
    }

    boolean becomesText() {
      return shown.equals("text") && !type.equals("text");
    }

    void becomeText() {
      shown = "text";
    }
  }

  /** An index over columns. */
  static final class Index {
    final String name;
    final String sql;
    final String method;
    final boolean primary;
    final List<Column> columns;

    /** What follows the table's name in its definition. */
    final String definition;

    boolean unique;

    Index(String[] row, boolean primary, boolean unique, List<Column> columns, String definition) {
      this.name = row[0];
      this.sql = row[1];
      this.method = row[2];
      this.primary = primary;
      this.unique = unique;
      this.columns = columns;
      this.definition = definition;
    }

    Stream<Column> distinct() {
      return columns.stream().filter(column -> column.distinct);
    }
  }

  /**
   * A foreign key.
   *
   * @param from columns of the table that has it
   * @param to those they refer to, in the same order
   */
  record Reference(List<Column> from, List<Column> to) {
    Table target() {
      return to.get(0).table;
    }

    boolean single() {
      return to.size() == 1;
    }
  }
}
