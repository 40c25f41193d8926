package io.shardload.driver.postgresql.statements.draft;

import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import io.shardload.driver.postgresql.statements.draft.Tables.Index;
import io.shardload.driver.postgresql.statements.draft.Tables.Reference;
import io.shardload.driver.postgresql.statements.draft.Tables.Table;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The file that makes the tables. */
final class SchemaText {
  private static final String HEAD =
      """
      -- Made by "shardload workload init --from-database" from the catalog and figures of the tables. No text of a row is
      -- here: enums have labels of their own, and defaults are left out, because each insert names all columns.
      -- A line "edit" names what this folder cannot express.
      """;

  private final Set<String> names = new HashSet<>();
  private final StringBuilder text = new StringBuilder(HEAD);

  static String of(Catalog catalog, Keys keys) {
    SchemaText file = new SchemaText();
    catalog.edits.forEach(file::edit);
    catalog.enums.forEach(
        (name, labels) ->
            file.text
                .append("\nCREATE TYPE %s AS ENUM (".formatted(name))
                .append(
                    Values.labels(labels).stream()
                        .map(label -> "'" + label + "'")
                        .collect(Collectors.joining(", ")))
                .append(");\n"));
    keys.ordered.forEach(table -> file.names.add(table.name));
    keys.ordered.forEach(table -> file.table(table, keys.kept(table)));
    return file.text.toString();
  }

  /** On one line, whatever the names are. */
  private void edit(String line) {
    text.append("-- edit: ").append(line.replaceAll("\\p{Cntrl}", " ")).append('\n');
  }

  private void table(Table table, List<Reference> references) {
    List<String> parts = new ArrayList<>();
    for (Column column : table.columns.values()) {
      parts.add(column.sql + " " + column.shown + (column.needed ? " NOT NULL" : ""));
    }
    for (Index index : table.indexes) {
      if (index.primary && index.unique) {
        parts.add("PRIMARY KEY (%s)".formatted(list(index.columns)));
      }
    }
    for (Reference one : references) {
      parts.add(
          "FOREIGN KEY (%s) REFERENCES %s (%s)"
              .formatted(list(one.from()), one.target().sql, list(one.to())));
    }
    List<Index> indexes = new ArrayList<>();
    for (Index index : table.indexes) {
      boolean ofType = !index.method.equals("btree") && !index.method.equals("hash");
      if (ofType && index.columns.stream().anyMatch(Column::becomesText)) {
        table.edit("index %s is left out: its column is text here".formatted(index.name));
      } else if (!(index.primary && index.unique)) {
        indexes.add(index);
      }
    }
    text.append('\n');
    table.edits.forEach(this::edit);
    text.append("CREATE TABLE %s (\n  ".formatted(table.sql))
        .append(String.join(",\n  ", parts))
        .append("\n)")
        .append(table.fillfactor.isEmpty() ? "" : " WITH (fillfactor = " + table.fillfactor + ")")
        .append(";\n");
    indexes.forEach(index -> index(table, index));
  }

  private void index(Table table, Index index) {
    String name = names.add(index.name) ? index.sql + " " : "";
    text.append(
        "CREATE %sINDEX %sON %s%s;\n"
            .formatted(index.unique ? "UNIQUE " : "", name, table.sql, index.definition));
  }

  private static String list(List<Column> columns) {
    return columns.stream().map(column -> column.sql).collect(Collectors.joining(", "));
  }
}
