package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.QueryPlan;
import io.shardload.workload.statements.port.QueryPlan.Access;
import io.shardload.workload.statements.port.QueryPlan.Kind;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The server's plans for the statements of a call, in the form of the run bundle. */
public final class PlansOfCall {
  private static final List<Access> SLOWEST_FIRST =
      List.of(Access.FULL_SCAN, Access.UNKNOWN, Access.TENANT_SCAN, Access.INDEX, Access.NONE);

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
    Map<String, Integer> slots = Program.slots(plan);
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
    return json(plans, sizes::get);
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

  /**
   * The plans of all statements as one.
   *
   * @param sizes the number of rows of a table
   */
  private static Map<String, Object> json(List<QueryPlan> plans, ToLongFunction<String> sizes) {
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
    json.put("scans", QueryPlan.scans(plans, sizes));
    return json;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
