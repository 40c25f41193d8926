package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.statements.PlansOfCall;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.postgresql.facts.Explanation;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.QueryPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The server's plans for the statements of a plan. A run keeps its statements on pooled
 * connections, so the plan is shown that a statement has after some uses; see the server's {@code
 * plan_cache_mode}. Citus workers plan each statement again.
 *
 * @param keepsStatements whether transactions use their statements again on the same connection
 */
record StatementExplainer(
    Connection connection,
    boolean keepsStatements,
    Plan plan,
    boolean citus,
    Map<String, String> firstColumns,
    Optional<Grouping> grouping)
    implements PlansOfCall.Server {
  /** The server compares a generic plan with the custom ones after five of these. */
  private static final int USES_BEFORE = 5;

  private static final String AS_THE_SERVER_CHOOSES = "SET LOCAL plan_cache_mode TO DEFAULT";
  private static final String FOR_ANY_VALUES = "SET LOCAL plan_cache_mode = force_generic_plan";
  private static final String EXPLAIN = "EXPLAIN (FORMAT JSON) ";

  /**
   * From PostgreSQL 18 on an index is read in parts, one for each of a few values of its first
   * column.
   */
  private static final String FIRST_COLUMNS =
      """
      SELECT indexrelid::regclass, pg_attribute.attname FROM pg_index
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      JOIN pg_class c ON c.oid = indrelid
      LEFT JOIN pg_stats s ON s.schemaname = relnamespace::regnamespace::name
        AND s.tablename = relname AND s.attname = pg_attribute.attname AND NOT s.inherited
      WHERE coalesce(n_distinct, -1) NOT BETWEEN 0 AND 100
      """;

  private static final Pattern SHARD = Pattern.compile("\"Relation Name\": *\"([^\"]+)_\\d{5,}\"");
  private static final String COUNT_SHARDS =
      "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = to_regclass(quote_ident(?))";

  static StatementExplainer of(
      Connection connection, boolean keepsStatements, Plan plan, Optional<Grouping> grouping)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return new StatementExplainer(
          connection,
          keepsStatements,
          plan,
          Citus.of(statement).installed(),
          Queries.pairs(statement, FIRST_COLUMNS),
          grouping);
    }
  }

  /** Of the table that Citus shows a task of; -1 if it shows none. */
  private long shards(String plan) throws SQLException {
    Matcher table = SHARD.matcher(plan);
    if (!table.find()) {
      return -1;
    }
    try (PreparedStatement asked = connection.prepareStatement(COUNT_SHARDS)) {
      asked.setString(1, table.group(1));
      try (ResultSet row = asked.executeQuery()) {
        row.next();
        return row.getLong(1) > 0 ? row.getLong(1) : -1;
      }
    }
  }

  @Override
  public QueryPlan plan(Described described, Object[] values) throws SQLException {
    boolean known = plan.arguments().containsAll(described.statement().names());
    boolean kept = !citus && (keepsStatements || !known);
    String json =
        kept
            ? kept(described, values, known)
            : PlansOfCall.text(connection, EXPLAIN, described, values);
    return Explanation.parse(json, citus ? shards(json) : 0, firstColumns, grouping);
  }

  @Override
  public long rows(String table) throws SQLException {
    return TableSizes.rows(connection, table);
  }

  private String kept(Described described, Object[] values, boolean known) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // The text is not JDBC syntax: braces and question marks have no special meaning.
      statement.setEscapeProcessing(false);
      statement.execute(known ? AS_THE_SERVER_CHOOSES : FOR_ANY_VALUES);
      statement.execute(
          "PREPARE shardload_plan%s AS %s"
              .formatted(types(described), ServerMessage.numbered(described.statement())));
      String execute = EXPLAIN + "EXECUTE shardload_plan" + literals(described, values);
      String text = "";
      for (int use = 0; use <= USES_BEFORE; use++) {
        text = PlansOfCall.lines(statement.executeQuery(execute));
      }
      statement.execute("DEALLOCATE shardload_plan");
      return text;
    }
  }

  private static String types(Described described) {
    return described.parameters().isEmpty()
        ? ""
        : described.parameters().stream()
            .map(SqlType::serverName)
            .collect(Collectors.joining(", ", " (", ")"));
  }

  /** Without types, which the prepared statement has. */
  private static String literals(Described described, Object[] values) {
    return values.length == 0
        ? ""
        : IntStream.range(0, values.length)
            .mapToObj(i -> literal(described.parameters().get(i), values[i]))
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private static String literal(SqlType type, Object value) {
    if (value == null) {
      return "NULL";
    }
    String text = type.text(value).replace("'", "''");
    return text.contains("\\") ? "E'" + text.replace("\\", "\\\\") + "'" : "'" + text + "'";
  }
}
