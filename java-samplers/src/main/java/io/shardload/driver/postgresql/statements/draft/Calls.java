package io.shardload.driver.postgresql.statements.draft;

import static io.shardload.driver.postgresql.statements.draft.Values.map;

import com.google.gson.JsonObject;
import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import io.shardload.driver.postgresql.statements.draft.Tables.Index;
import io.shardload.driver.postgresql.statements.draft.Tables.Table;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The transactions: for each table a read by key, an insert, an update and a delete, as far as it
 * allows them. One table is the entity, whose rows are verified.
 */
final class Calls {
  private static final String SIMPLE = "[a-z][a-z0-9_]*";
  private static final String EDITION = "edition";

  /** The number of a column that the table does not have. */
  private static final int ADDED = Integer.MAX_VALUE;

  /** Percent of all calls, by the verb of a transaction's name. */
  private static final Map<String, Integer> SHARES =
      Map.of("read", 70, "insert", 10, "update", 15, "delete", 5);

  private static final int HUNDRED = 100;
  private static final int LEAST_DELETED = 1000;

  /** Types whose values can be compared as they are read back, in addition to texts. */
  private static final Set<String> EXACT =
      Set.of(
          "int2",
          "int4",
          "int8",
          "numeric",
          "float4",
          "float8",
          "bool",
          "uuid",
          "date",
          "timestamp",
          "timestamptz");

  final Map<String, String> files = new LinkedHashMap<>();
  final JsonObject parameters = new JsonObject();
  final JsonObject transactions = new JsonObject();
  final Optional<Table> entity;
  private final Set<Table> referred = new HashSet<>();
  private final Map<String, String> slugs = new HashMap<>();

  Calls(Collection<Table> tables) {
    tables.forEach(table -> table.references.forEach(one -> referred.add(one.target())));
    entity =
        tables.stream()
            .filter(Calls::canBeEntity)
            .max(Comparator.comparingLong(table -> table.rows));
    entity.filter(table -> changed(table).isPresent()).ifPresent(Calls::addEdition);
    for (Table table : tables) {
      if (table.key == null) {
        table.edit("has no key: there is an insert alone");
      } else {
        read(table);
        changed(table).ifPresent(column -> update(table, column));
        if (deletes(table)) {
          write(table, "delete", "DELETE FROM " + table.sql);
        }
      }
      insert(table);
    }
  }

  private boolean isEntity(Table table) {
    return entity.filter(table::equals).isPresent();
  }

  private static boolean canBeEntity(Table table) {
    return table.rows > 0
        && table.name.matches(SIMPLE)
        && table.key != null
        && table.key.columns.size() == 1
        && table.key.columns.get(0).distinct
        && table.key.columns.get(0).refers == null
        && !table.key.columns.get(0).type.equals("uuid")
        && table.columns.values().stream()
            .allMatch(
                column ->
                    column.name.matches(SIMPLE)
                        && !Set.of(EDITION, "before").contains(column.name)
                        && isExact(column));
  }

  private static boolean isExact(Column column) {
    return column.isText()
        || column.becomesText()
        || (column.labels > 0 && column.element.isEmpty())
        || EXACT.contains(column.type);
  }

  private static void addEdition(Table table) {
    String[] type = {"int4", "", "-1", "integer"};
    Column edition = new Column(table, EDITION, EDITION, type, true, 0);
    edition.values = map("type: edition");
    edition.distinct = true;
    table.columns.put(ADDED, edition);
    table.edit("column edition is added: it counts updates, so that verify finds a lost one");
  }

  /** The column that updates change: outside of keys and, if possible, of all indexes. */
  private static Optional<Column> changed(Table table) {
    Set<Column> indexed = new HashSet<>();
    Set<Column> unique = new HashSet<>();
    for (Index index : table.indexes) {
      indexed.addAll(index.columns);
      if (index.unique || index.equals(table.key)) {
        unique.addAll(index.columns);
      }
    }
    return table.columns.values().stream()
        .filter(column -> !unique.contains(column) && column.refers == null && !column.distinct)
        .min(Comparator.comparing(indexed::contains));
  }

  /** Neither rows that others refer to, nor those of a table that would soon be empty. */
  private boolean deletes(Table table) {
    return !referred.contains(table) && table.rows >= LEAST_DELETED;
  }

  private void read(Table table) {
    List<Column> key = table.key.columns;
    Column first = key.get(0);
    boolean single = key.size() == 1 && table.key.unique;
    String order = key.size() == 1 ? "" : " ORDER BY " + list(key.subList(1, key.size()));
    String sql =
        "SELECT %s FROM %s WHERE %s = :%s%s"
            .formatted(
                list(table.columns.values()),
                table.sql,
                first.sql,
                keyOf(first),
                single ? "" : order + " LIMIT 100");
    String expected = "rows: " + (single ? one(table) : "0..100");
    if (isEntity(table)) {
      expected = "entity: read, rows: one";
    } else if (first.isWhole() || first.type.equals("uuid")) {
      expected += ", equal: {%s: %s}".formatted(Values.quoted(first.name), keyOf(first));
    }
    add(table, "read", sql, expected);
  }

  /** A row that another call may have deleted is legitimately missing. */
  private String one(Table table) {
    return deletes(table) ? "zero-or-one" : "one";
  }

  private void update(Table table, Column column) {
    String set = "UPDATE %s SET %s = :%s".formatted(table.sql, column.sql, value(column));
    Column edition = table.columns.get(ADDED);
    String counted = edition == null ? "" : ", %s = :%s".formatted(EDITION, value(edition));
    write(table, "update", set + counted);
  }

  /** Of one row by its key; with several columns, of the first row of a group. */
  private void write(Table table, String verb, String sql) {
    List<Column> key = table.key.columns;
    Column first = key.get(0);
    String where =
        key.size() == 1
            ? " WHERE %s = :%s".formatted(first.sql, keyOf(first))
            : " WHERE (%1$s) = (SELECT %1$s FROM %2$s WHERE %3$s = :%4$s ORDER BY %1$s LIMIT 1)"
                .formatted(list(key), table.sql, first.sql, keyOf(first));
    if (table.columns.containsKey(ADDED)) {
      where += " AND %s = :%s.before".formatted(EDITION, table.name);
    }
    String rows = !table.key.unique ? "any" : key.size() == 1 ? one(table) : "zero-or-one";
    add(table, verb, sql + where, isEntity(table) ? "entity: " + verb : "rows: " + rows);
  }

  private void insert(Table table) {
    Collection<Column> columns = table.columns.values();
    if (columns.stream().anyMatch(one -> one.distinct && one.refers != null)) {
      table.edit("there is no insert: a new row needs a new row of the table it refers to");
      return;
    }
    String values =
        columns.stream().map(column -> ":" + value(column)).collect(Collectors.joining(", "));
    String sql = "INSERT INTO %s (%s) VALUES (%s)".formatted(table.sql, list(columns), values);
    add(table, "insert", sql, isEntity(table) ? "entity: insert" : "rows: one");
  }

  private void add(Table table, String verb, String sql, String expected) {
    String name = verb + "-" + slug(table.name, "-");
    files.put("transactions/" + name + "/postgresql.sql", sql + "\n");
    transactions.add(name, map(expected));
  }

  /** Names the parameter of a new value of a column. */
  private String value(Column column) {
    boolean continues = column.distinct && !column.type.equals("uuid");
    return parameter(column, "", continues ? Values.row("sequential", column) : column.values);
  }

  /** Names the parameter of the value that a row has. */
  private String keyOf(Column column) {
    return parameter(column, "_of_row", Values.row("reference", column));
  }

  private String parameter(Column column, String use, JsonObject values) {
    if (isEntity(column.table)) {
      return column.table.name + "." + column.name;
    }
    String name = slug(column.table.name + "." + column.name + use, "_");
    parameters.add(name, values);
    return name;
  }

  /** A name of small letters and digits; another one for each text. */
  private String slug(String text, String between) {
    return slugs.computeIfAbsent(
        between + text,
        key -> {
          String plain =
              text.toLowerCase(Locale.ROOT)
                  .replaceAll("[^a-z0-9]+", between)
                  .replaceAll("^" + between + "|" + between + "$", "");
          String base = plain.matches("[a-z].*") ? plain : "t" + between + plain;
          String name = base;
          for (int i = 2; slugs.containsValue(name); i++) {
            name = base + between + i;
          }
          return name;
        });
  }

  /** The key {@code entity} of the table. */
  JsonObject entity(Table table) {
    String changes =
        table.columns.containsKey(ADDED)
            ? ", changes: [%s]".formatted(changed(table).orElseThrow().name)
            : "";
    return map("key: %s%s".formatted(table.key.columns.get(0).name, changes));
  }

  /** Percent of each transaction, in hundredths; equal for the tables that have one. */
  JsonObject mix() {
    JsonObject mix = new JsonObject();
    Map<String, List<String>> byVerb =
        transactions.keySet().stream()
            .collect(Collectors.groupingBy(name -> name.substring(0, name.indexOf('-'))));
    int left = HUNDRED * HUNDRED;
    Map<String, Integer> hundredths = new LinkedHashMap<>();
    for (Map.Entry<String, List<String>> verb : byVerb.entrySet()) {
      for (String name : verb.getValue()) {
        hundredths.put(name, SHARES.get(verb.getKey()) * HUNDRED / verb.getValue().size());
        left -= hundredths.get(name);
      }
    }
    String first = new ArrayList<>(transactions.keySet()).get(0);
    hundredths.merge(first, left, Integer::sum);
    transactions
        .keySet()
        .forEach(name -> mix.addProperty(name, BigDecimal.valueOf(hundredths.get(name), 2)));
    return mix;
  }

  private static String list(Collection<Column> columns) {
    return columns.stream().map(column -> column.sql).collect(Collectors.joining(", "));
  }
}
