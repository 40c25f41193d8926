package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Repetition;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A plan made ready for calls. Immutable.
 *
 * @param values how many a call has: its arguments, then what its statements capture
 * @param lastWithRows index of the last statement that returns rows; -1 if none does
 * @param locks whether a statement locks rows, which a standby refuses
 */
public record Program(
    Plan plan, List<Command> commands, int values, int lastWithRows, boolean locks) {
  private static final Pattern LOCKING =
      Pattern.compile(
          "(?i)\\b(for\\s+(no\\s+key\\s+|key\\s+)?(update|share)|lock\\s+in\\s+share)\\b");

  /**
   * A statement of the plan.
   *
   * @param sql what is sent; that of the first statement sets the isolation as well
   * @param begins whether another statement precedes it in the text
   * @param parameters types of the places for parameters
   * @param slots indexes of their values
   * @param columns types of the columns, none if it returns no rows
   * @param wanted indexes of the columns that are handed over
   * @param equality of those in {@code wanted}
   * @param captured indexes of those in {@code wanted} that are captured
   * @param captureSlots where their values go
   */
  @SuppressWarnings("ArrayRecordComponent") // Read on the timed path, never compared or changed.
  record Command(
      SqlStatement statement,
      String sql,
      boolean begins,
      SqlType[] parameters,
      int[] slots,
      SqlType[] columns,
      int[] wanted,
      Equality equality,
      int[] captured,
      int[] captureSlots) {
    boolean returnsRows() {
      return columns.length > 0;
    }

    boolean writes() {
      return statement.writes();
    }

    /** What is sent at a repetition: the isolation is set once. */
    String sql(int repetition) {
      return begins && repetition > 0 ? sql.substring(sql.indexOf(';') + 1) : sql;
    }
  }

  /**
   * Makes a plan ready.
   *
   * @param connection on which the server describes statements, in a transaction
   * @param arguments of some call
   * @throws CallFailure a wanted column is not there
   */
  static Program of(Dialect dialect, Connection connection, Plan plan, Object[] arguments)
      throws SQLException, CallFailure {
    Map<String, Integer> slots = plan.slots();
    Object[] values = Arrays.copyOf(arguments, slots.size());
    List<Command> commands = new ArrayList<>();
    int lastWithRows = -1;
    boolean locks = false;
    for (int i = 0; i < plan.statements().size(); i++) {
      SqlStatement statement = sql(plan.statements().get(i));
      Described described = dialect.describe(connection, statement, own(statement, slots, values));
      String begin = i == 0 ? dialect.prefix(plan.isolation()) : "";
      Command command = command(described, begin, plan.steps().get(i), slots);
      lastWithRows = command.returnsRows() ? i : lastWithRows;
      locks |= LOCKING.matcher(described.jdbc()).find();
      commands.add(command);
    }
    return new Program(plan, List.copyOf(commands), slots.size(), lastWithRows, locks);
  }

  /** Whether its rows may come from a replica. */
  boolean onReplicas() {
    return !plan.writes() && !locks && plan.isolation() != Isolation.SERIALIZABLE;
  }

  public static SqlStatement sql(Statement statement) {
    if (statement instanceof SqlStatement sql) {
      return sql;
    }
    throw new IllegalArgumentException(statement.place() + " is not SQL");
  }

  /** The values at the places of a statement's parameters. */
  public static Object[] own(SqlStatement statement, Map<String, Integer> slots, Object[] values) {
    return statement.names().stream()
        .map(name -> Repetition.at(values[slots.get(name)], 0))
        .toArray();
  }

  private static Command command(
      Described described, String begin, Step step, Map<String, Integer> slots) throws CallFailure {
    List<String> names = step.wanted();
    int[] wanted = new int[names.size()];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = described.column(names.get(i));
      if (wanted[i] < 0) {
        throw new CallFailure(
            "no-such-column",
            true,
            false,
            described.statement().place() + " returns no column " + names.get(i));
      }
    }
    List<String> captured = step.capture().keySet().stream().sorted().toList();
    return new Command(
        described.statement(),
        begin + described.jdbc(),
        !begin.isEmpty(),
        described.parameters().toArray(SqlType[]::new),
        described.statement().names().stream().mapToInt(slots::get).toArray(),
        described.columns().stream().map(Described.Column::type).toArray(SqlType[]::new),
        wanted,
        Described.equality(Arrays.stream(wanted).mapToObj(described.columns()::get).toList()),
        captured.stream().mapToInt(name -> names.indexOf(step.capture().get(name))).toArray(),
        captured.stream().mapToInt(slots::get).toArray());
  }
}
