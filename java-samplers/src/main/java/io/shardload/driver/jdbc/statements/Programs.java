package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Plan;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The programs of plans. The first call of a plan asks the server for the types of its parameters
 * and columns, once for all connections. Thread-safe.
 */
final class Programs {
  private final SqlConnections connections;
  private final Dialect dialect;
  private final Map<Plan, Program> ready = new ConcurrentHashMap<>();

  Programs(SqlConnections connections, Dialect dialect) {
    this.connections = connections;
    this.dialect = dialect;
  }

  Program of(Plan plan, Object[] arguments) throws CallFailure {
    Program known = ready.get(plan);
    return known == null ? prepare(plan, arguments) : known;
  }

  private synchronized Program prepare(Plan plan, Object[] arguments) throws CallFailure {
    Program there = ready.get(plan);
    if (there != null) {
      return there;
    }
    try (Connection connection = connections.describing()) {
      dialect.beginDescribing(connection);
      Program made = Program.of(dialect, connection, plan, arguments);
      connection.rollback();
      ready.put(plan, made);
      return made;
    } catch (SQLException e) {
      // The statement itself was never sent.
      throw connections.outcomes().statement(e).excluding(true);
    }
  }
}
