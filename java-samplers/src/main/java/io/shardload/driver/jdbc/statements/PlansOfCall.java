package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.QueryPlan;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The server's plans for the statements of a call, in the form of the run bundle. */
public final class PlansOfCall {
  private PlansOfCall() {}

  /** What the server says. */
  public interface Server {
    /** Its plan for a statement, within a transaction. */
    QueryPlan plan(Described described, Object[] values) throws SQLException;

    /** The number of rows of a table that a plan names; 0 if it is not known. */
    long rows(String table) throws SQLException;
  }

  /** The plans of a call; captured values are not known, and NULL stands for them. */
  public static Map<String, Object> of(
      Dialect dialect, Connection connection, Plan plan, Object[] arguments, Server server)
      throws SQLException {
    Map<String, Integer> slots = plan.slots();
    Object[] values = Arrays.copyOf(arguments, slots.size());
    List<QueryPlan> plans = new ArrayList<>();
    connection.setAutoCommit(false);
    try {
      for (Statement one : plan.statements()) {
        SqlStatement sql = Program.sql(one);
        Object[] own = Program.own(sql, slots, values);
        plans.add(server.plan(dialect.describe(connection, sql, own), own));
      }
    } finally {
      connection.rollback();
    }
    connection.setAutoCommit(true);
    Map<String, Long> sizes = new HashMap<>();
    for (QueryPlan each : plans) {
      for (QueryPlan.Scan scan : each.scans()) {
        sizes.put(scan.table(), server.rows(scan.table()));
      }
    }
    return QueryPlan.together(plans, sizes::get);
  }

  /** The text of the plan that a statement asks for, in front of one that is described. */
  public static String text(
      Connection connection, String explain, Described described, Object[] values)
      throws SQLException {
    try (PreparedStatement prepared = connection.prepareStatement(explain + described.jdbc())) {
      described.set(prepared, values);
      return lines(prepared.executeQuery());
    }
  }

  /** The first column of all rows. */
  public static String lines(ResultSet rows) throws SQLException {
    try (rows) {
      List<String> lines = new ArrayList<>();
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
      return String.join("\n", lines);
    }
  }
}
