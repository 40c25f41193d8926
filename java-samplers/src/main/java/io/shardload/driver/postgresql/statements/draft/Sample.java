package io.shardload.driver.postgresql.statements.draft;

import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import io.shardload.driver.postgresql.statements.draft.Tables.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Asks for figures of a table's rows: numbers alone, and of texts only their lengths and how many
 * distinct ones there are. The server reads at most {@link #ROWS} rows for them.
 */
record Sample(Statement statement) {
  static final int ROWS = 10_000;
  private static final int FEW = 200;
  private static final int MOST_COUNTED = 1_000_000;

  /**
   * Blocks are chosen at random, so few that the limit, which would prefer the first, is not met.
   */
  private static final double SHARE = 0.5;

  private static final String TIMEOUT = "57014";

  /** Fills the figures and the number of rows; a table that takes too long gets none. */
  void take(Table table) throws SQLException {
    table.rows = Math.max(0, table.estimate);
    for (int most : List.of(ROWS, FEW)) {
      try {
        take(table, most);
        return;
      } catch (SQLException e) {
        if (!TIMEOUT.equals(e.getSQLState())) {
          throw e;
        }
      }
    }
    table.edit("not sampled, because it took too long: ranges and lengths are of the types alone");
  }

  private void take(Table table, int most) throws SQLException {
    boolean large = table.estimate > most;
    double percent = Math.min(100, 100 * SHARE * most / Math.max(1, table.estimate));
    String part = large ? " TABLESAMPLE SYSTEM (" + percent + ")" : "";
    long sampled = ask(table, part, most);
    if (sampled == 0 && large) {
      sampled = ask(table, "", most);
    }
    if (sampled < most && !large) {
      table.rows = sampled;
    } else if (table.estimate < sampled) {
      table.rows = counted(table);
    }
    if (large || sampled == most) {
      table.edit("its figures come from a sample of %d rows".formatted(sampled));
    }
  }

  private long ask(Table table, String part, int most) throws SQLException {
    List<Column> columns = List.copyOf(table.columns.values());
    String figures =
        columns.stream()
            .map(
                column ->
                    (", concat(count(%1$s), '|', " + String.join(", '|', ", of(column)) + ")")
                        .formatted(column.sql))
            .collect(Collectors.joining());
    String names = columns.stream().map(column -> column.sql).collect(Collectors.joining(", "));
    String sql =
        "SELECT count(*)%s FROM (SELECT %s FROM %s%s LIMIT %d) AS sampled"
            .formatted(figures, names, table.source, part, most);
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      long rows = row.getLong(1);
      for (int i = 0; i < columns.size() && rows > 0; i++) {
        columns.get(i).figures = (rows + "|" + row.getString(i + 2)).split("\\|", -1);
      }
      return rows;
    }
  }

  private long counted(Table table) throws SQLException {
    String sql = "SELECT count(*) FROM (SELECT FROM %s LIMIT %d) AS counted";
    try (ResultSet row = statement.executeQuery(sql.formatted(table.source, MOST_COUNTED))) {
      row.next();
      if (row.getLong(1) == MOST_COUNTED) {
        table.edit("has %d rows or more, and no estimate: set rows".formatted(MOST_COUNTED));
      }
      return row.getLong(1);
    }
  }

  /** After the numbers of rows and of values that are not NULL. */
  private static List<String> of(Column column) {
    String least = "floor(extract(epoch FROM min(%1$s) FILTER (WHERE isfinite(%1$s))))";
    String finite = " FILTER (WHERE %1$s::text NOT IN ('NaN', 'Infinity', '-Infinity'))";
    return switch (column.type) {
      case "int2", "int4", "int8" -> List.of("min(%1$s)", "max(%1$s)");
      case "numeric" ->
          List.of("min(%1$s)" + finite, "max(%1$s)" + finite, "max(scale(%1$s))" + finite);
      case "float4", "float8" -> List.of("min(%1$s)" + finite, "max(%1$s)" + finite);
      case "timestamp", "timestamptz", "date" -> List.of(least, least.replace("min", "max"));
      case "bool" -> List.of("count(*) FILTER (WHERE %1$s)");
      case "bytea" -> List.of(lengths("octet_length(%1$s)"));
      default ->
          column.isText()
              ? List.of(lengths("length(%1$s)"), "count(DISTINCT %1$s)")
              : column.element.isEmpty()
                  ? List.of(lengths("octet_length(%1$s::text)"))
                  : List.of(
                      "min(cardinality(%1$s))",
                      "max(cardinality(%1$s))",
                      "(sum(octet_length(%1$s::text)) - count(%1$s))"
                          + " / greatest(1, sum(cardinality(%1$s))) - 1");
    };
  }

  private static String lengths(String length) {
    return "percentile_disc(ARRAY[0, .1, .3, .5, .7, .9, 1]) WITHIN GROUP (ORDER BY "
        + length
        + ")";
  }
}
