package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.postgresql.statements.types.Descriptions;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import io.shardload.workload.statements.sql.SqlFile;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/** Plans from SQL, as the folder's reader makes them, and what their calls report. */
final class SqlPlans {
  static final String FILE = "transactions/x/postgresql.sql";

  private SqlPlans() {}

  static List<Statement> statements(String text) {
    List<Problem> problems = new ArrayList<>();
    List<Statement> all =
        List.copyOf(SqlFile.parse(FILE, text, Descriptions.RULES, problems::add).get(0));
    assertThat(problems).isEmpty();
    return all;
  }

  /** A plan that wants nothing of its answers. */
  static Plan plan(Isolation isolation, String text) {
    Step[] steps = statements(text).stream().map(s -> Step.ANY).toArray(Step[]::new);
    return plan(isolation, text, steps);
  }

  static Plan plan(Isolation isolation, String text, Step... steps) {
    List<Statement> statements = statements(text);
    Set<String> names = new LinkedHashSet<>();
    statements.forEach(one -> names.addAll(one.names()));
    for (Step step : steps) {
      names.addAll(step.parameters());
    }
    for (Step step : steps) {
      names.removeAll(step.capture().keySet());
    }
    return new Plan("x", 0, isolation, List.copyOf(names), statements, List.of(steps));
  }

  /** Hands over these columns. */
  static Step wants(String... columns) {
    Map<String, String> equal = new java.util.TreeMap<>();
    for (String column : columns) {
      equal.put(column, "p");
    }
    return new Step(-1, Long.MAX_VALUE, equal, Map.of());
  }

  static Step captures(String name, String column) {
    return new Step(-1, Long.MAX_VALUE, Map.of(), Map.of(name, column));
  }

  static TableRows rows(
      String table, List<String> columns, List<ValueType> types, LongFunction<Object[]> row) {
    return rows(table, 0, columns, types, row);
  }

  /** As above, with so many rows that a load would make. */
  static TableRows rows(
      String table,
      long rows,
      List<String> columns,
      List<ValueType> types,
      LongFunction<Object[]> row) {
    return new TableRows() {
      @Override
      public String table() {
        return table;
      }

      @Override
      public List<String> columns() {
        return columns;
      }

      @Override
      public List<ValueType> types() {
        return types;
      }

      @Override
      public Object[] row(long number) {
        return row.apply(number);
      }

      @Override
      public long rows() {
        return rows;
      }
    };
  }

  /** Writes down everything that a call reports. */
  static final class Log implements Answers, Phases {
    final List<String> all = new ArrayList<>();
    final List<Object> values = new ArrayList<>();

    @Override
    public void begin() {
      all.add("begin");
    }

    @Override
    public void row(int statement, List<?> wanted, Equality equality) {
      all.add(statement + " row " + wanted);
      values.addAll(wanted);
    }

    @Override
    public void ended(int statement, long rows) {
      all.add(statement + " ended " + rows);
    }

    @Override
    public void connected() {
      all.add("connected");
    }

    @Override
    public void found() {
      all.add("found");
    }

    @Override
    public void acknowledged() {
      all.add("acknowledged");
    }
  }
}
