package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.statements.Program;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.driver.postgresql.facts.Explanation;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.statements.types.Descriptions;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.QueryPlan;
import io.shardload.workload.statements.port.QueryPlan.Access;
import io.shardload.workload.statements.port.QueryPlan.Kind;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
record StatementExplainer(Connection connection, boolean keepsStatements) {
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

  private static final List<Access> SLOWEST_FIRST =
      List.of(Access.FULL_SCAN, Access.UNKNOWN, Access.TENANT_SCAN, Access.INDEX, Access.NONE);

  /**
   * The plans of all statements as one; captured values are not known, and NULL stands for them.
   */
  Map<String, Object> explain(Plan plan, Object[] arguments, Optional<Grouping> grouping)
      throws SQLException {
    Map<String, Integer> slots = Program.slots(plan);
    Object[] values = Arrays.copyOf(arguments, slots.size());
    boolean citus;
    Map<String, String> firstColumns = new HashMap<>();
    try (Statement statement = connection.createStatement()) {
      citus = Citus.of(statement).installed();
      try (ResultSet rows = statement.executeQuery(FIRST_COLUMNS)) {
        while (rows.next()) {
          firstColumns.put(rows.getString(1), rows.getString(2));
        }
      }
    }
    List<QueryPlan> plans = new ArrayList<>();
    connection.setAutoCommit(false);
    try {
      for (io.shardload.workload.statements.port.Statement one : plan.statements()) {
        SqlStatement sql = Program.sql(one);
        Object[] own = Program.own(sql, slots, values);
        Described described = Descriptions.of(connection, sql, own);
        boolean known = plan.arguments().containsAll(sql.names());
        boolean kept = !citus && (keepsStatements || !known);
        String json = kept ? kept(described, own, known) : once(described, own);
        long shards = citus ? shards(json) : 0;
        plans.add(Explanation.parse(json, shards, firstColumns, grouping));
      }
    } finally {
      connection.rollback();
    }
    Map<String, Object> json = json(plans);
    json.put("scans", scans(plans));
    return json;
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

  private Map<String, Long> scans(List<QueryPlan> plans) throws SQLException {
    Map<String, Long> sizes = new HashMap<>();
    connection.setAutoCommit(true);
    for (QueryPlan plan : plans) {
      for (QueryPlan.Scan scan : plan.scans()) {
        sizes.put(scan.table(), TableSizes.rows(connection, scan.table()));
      }
    }
    return QueryPlan.scans(plans, sizes::get);
  }

  private String once(Described described, Object[] values) throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(EXPLAIN + described.jdbc())) {
      described.set(prepared, values);
      try (ResultSet rows = prepared.executeQuery()) {
        return text(rows);
      }
    }
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
      String plan = "";
      for (int use = 0; use <= USES_BEFORE; use++) {
        try (ResultSet rows = statement.executeQuery(execute)) {
          plan = text(rows);
        }
      }
      statement.execute("DEALLOCATE shardload_plan");
      return plan;
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

  private static String text(ResultSet rows) throws SQLException {
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      lines.add(rows.getString(1));
    }
    return String.join("\n", lines);
  }

  private static Map<String, Object> json(List<QueryPlan> plans) {
    List<Access> all = plans.stream().map(QueryPlan::access).toList();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put(
        "access", word(SLOWEST_FIRST.stream().filter(all::contains).findFirst().orElseThrow()));
    json.put("indexes", plans.stream().flatMap(p -> p.indexes().stream()).distinct().toList());
    json.put(
        "shards", String.join("; ", plans.stream().map(QueryPlan::shards).distinct().toList()));
    List<Kind> kinds =
        plans.stream().map(QueryPlan::kind).filter(k -> k != Kind.UNKNOWN).distinct().toList();
    if (kinds.size() == 1) {
      json.put("kind", word(kinds.get(0)));
    }
    if (plans.size() == 1) {
      plans.get(0).rows().ifPresent(rows -> json.put("estimated_rows", rows));
    }
    json.put("text", String.join("\n", plans.stream().map(QueryPlan::text).toList()));
    return json;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
