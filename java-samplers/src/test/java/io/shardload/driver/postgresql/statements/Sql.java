package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Plans and tables out of a few lines. */
final class Sql {
  private Sql() {}

  static List<Statement> statements(String sql) {
    List<Problem> problems = new ArrayList<>();
    List<Statement> read = List.copyOf(SqlFile.parse("t.sql", sql, problems::add).get(0));
    assertThat(problems).isEmpty();
    return read;
  }

  static List<Statement> schema(String sql) {
    List<Problem> problems = new ArrayList<>();
    List<Statement> read = List.copyOf(SqlFile.parse("schema.sql", sql, problems::add).get(0));
    assertThat(problems).isEmpty();
    return read;
  }

  /** A plan whose arguments have these names; steps that are not given want nothing. */
  static Plan plan(String sql, Isolation isolation, List<String> arguments, Step... steps) {
    List<Statement> statements = statements(sql);
    List<Step> all = new ArrayList<>(List.of(steps));
    while (all.size() < statements.size()) {
      all.add(Step.ANY);
    }
    return new Plan("test", 0, isolation, arguments, statements, all);
  }

  static Step capture(String name, String column) {
    return new Step(-1, Long.MAX_VALUE, Map.of(), Map.of(name, column));
  }

  static Step wanted(String... columns) {
    Map<String, String> equal = new java.util.TreeMap<>();
    Arrays.stream(columns).forEach(column -> equal.put(column, "any"));
    return new Step(-1, Long.MAX_VALUE, equal, Map.of());
  }

  /** Remembers everything, in words. */
  static final class Heard implements Answers {
    final List<String> lines = new ArrayList<>();

    @Override
    public void begin() {
      lines.clear();
    }

    @Override
    public void row(int statement, Object[] wanted, Equality equality) {
      lines.add(statement + ": " + Arrays.deepToString(wanted));
    }

    @Override
    public void ended(int statement, long rows) {
      lines.add(statement + " ended " + rows);
    }
  }

  /** Rows that are made by a function. */
  record Made(String table, List<String> columns, List<ValueType> types, Maker maker)
      implements TableRows {
    /** Makes the values of a row. */
    interface Maker {
      Object[] make(long number);
    }

    @Override
    public Object[] row(long number) {
      return maker.make(number);
    }
  }
}
