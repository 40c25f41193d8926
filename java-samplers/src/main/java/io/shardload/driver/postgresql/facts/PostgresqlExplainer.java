package io.shardload.driver.postgresql.facts;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.store.PostgresqlDocumentStore;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.statements.port.Grouping;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Sends each statement of the real store with its own arguments, as the object of EXPLAIN.
 *
 * <p>A run keeps its statements on pooled connections, and the server may have a plan for any
 * values from the sixth use on. That plan is shown: EXPLAIN EXECUTE chooses a plan as an execution
 * does, by {@code plan_cache_mode}, and counts as one. Citus workers get the values with each
 * statement and plan it again.
 */
final class PostgresqlExplainer extends PostgresqlDocumentStore {
  /** The server compares a generic plan with the custom ones after five of these. */
  private static final int USES_BEFORE = 5;

  private static final Grouping GROUPING =
      new Grouping("id", List.of("filter1", "filter2", "filter3", "filter4", "filter5", "edition"));
  private static final String EXPLAIN = "EXPLAIN (FORMAT JSON) ";
  private static final String THERE = "SELECT to_regclass('data_table') IS NOT NULL";
  private static final String COUNT_SHARDS =
      "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'data_table'::regclass";

  private final Connections connections;
  private final boolean keepsStatements;
  private final Consumer<QueryPlan> plans;

  PostgresqlExplainer(Connections connections, boolean keepsStatements, Consumer<QueryPlan> plans) {
    super(null, 0);
    this.keepsStatements = keepsStatements;
    this.connections = connections;
    this.plans = plans;
  }

  @Override
  protected long write(String sql, Arguments arguments, Phases phases) throws CallFailure {
    explain(sql, arguments);
    return 1;
  }

  @Override
  protected List<Document> find(String sql, Arguments arguments, Phases phases) throws CallFailure {
    explain(sql, arguments);
    return UNJUDGED;
  }

  private void explain(String sql, Arguments arguments) throws CallFailure {
    try (Connection connection = connections.administrative()) {
      long shards = shards(connection);
      String plan =
          shards == 0 && keepsStatements
              ? kept(connection, sql, arguments)
              : once(connection, sql, arguments);
      plans.accept(Explanation.parse(plan, shards, Map.of(), Optional.of(GROUPING)));
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  /** The plan for these values. */
  private static String once(Connection connection, String sql, Arguments arguments)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(EXPLAIN + sql)) {
      arguments.set(statement);
      try (ResultSet rows = statement.executeQuery()) {
        return text(rows);
      }
    }
  }

  /** The plan that a statement has after some uses; a pooler gives one server connection for it. */
  private static String kept(Connection connection, String sql, Arguments arguments)
      throws SQLException {
    RecordedArguments recorded = RecordedArguments.of(arguments);
    String name = "\"shardload_" + UUID.randomUUID() + '"';
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // The text is not JDBC syntax: braces and question marks have no special meaning.
      statement.setEscapeProcessing(false);
      statement.execute("PREPARE %s (%s) AS %s".formatted(name, recorded.types(), numbered(sql)));
      String execute = "%sEXECUTE %s (%s)".formatted(EXPLAIN, name, recorded.values());
      for (int use = 0; use < USES_BEFORE; use++) {
        statement.execute(execute);
      }
      String plan;
      try (ResultSet rows = statement.executeQuery(execute)) {
        plan = text(rows);
      }
      statement.execute("DEALLOCATE " + name);
      return plan;
    } finally {
      connection.rollback();
    }
  }

  private static String numbered(String sql) {
    String[] parts = sql.split("\\?", -1);
    StringBuilder numbered = new StringBuilder(parts[0]);
    for (int parameter = 1; parameter < parts.length; parameter++) {
      numbered.append('$').append(parameter).append(parts[parameter]);
    }
    return numbered.toString();
  }

  private static String text(ResultSet rows) throws SQLException {
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      lines.add(rows.getString(1));
    }
    return String.join("\n", lines);
  }

  /** Of the table; 0 if it is not distributed. */
  private static long shards(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean distributed =
          Queries.text(statement, THERE).equals("t") && Citus.of(statement).distributed(statement);
      return distributed ? Long.parseLong(Queries.text(statement, COUNT_SHARDS)) : 0;
    }
  }
}
