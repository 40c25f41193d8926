package io.shardload.driver.postgresql.statements;

import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.sql.Operators;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** A plan made ready: where the value of each parameter is found. Immutable and thread-safe. */
final class Program {
  /**
   * One statement.
   *
   * @param sql with a question mark for each parameter
   * @param slots where the value of each parameter is, in their order
   * @param captures slots into which wanted columns of the first row go, -1 for none; as many as
   *     wanted columns
   */
  @SuppressWarnings("ArrayRecordComponent") // Made once, never compared.
  record Command(String sql, int[] slots, Step step, int[] captures, boolean writes) {
    /** How many columns of a row are wanted. */
    int wanted() {
      return captures.length;
    }
  }

  /** Locks rows, which a replica refuses. */
  private static final Pattern LOCKS =
      Pattern.compile("(?is).*\\bfor\\s+(no\\s+key\\s+|key\\s+)?(update|share)\\b.*");

  /** Ambiguous function or operator, and a parameter whose type nothing tells. */
  static final Set<String> AMBIGUOUS = Set.of("42725", "42P18");

  private final List<Command> commands = new ArrayList<>();
  private final Map<String, Integer> slots = new HashMap<>();

  /** By command and parameter the server's type; empty texts where it was not asked. */
  private volatile String[][] types;

  /** The last command that returns rows, or -1; as far as the server told. */
  private volatile int lastWithRows = -1;

  Program(Plan plan) {
    for (String argument : plan.arguments()) {
      slots.putIfAbsent(argument, slots.size());
    }
    plan.steps().forEach(step -> step.capture().keySet().forEach(this::slot));
    for (int i = 0; i < plan.statements().size(); i++) {
      commands.add(command(plan.statements().get(i), plan.steps().get(i)));
    }
  }

  private int slot(String name) {
    return slots.computeIfAbsent(name, n -> slots.size());
  }

  private Command command(Statement statement, Step step) {
    int[] from = statement.names().stream().mapToInt(this::slot).toArray();
    List<String> wanted = step.wanted();
    int[] captures = new int[wanted.size()];
    Arrays.fill(captures, -1);
    step.capture().forEach((name, column) -> captures[wanted.indexOf(column)] = slots.get(name));
    return new Command(sql((SqlStatement) statement), from, step, captures, statement.writes());
  }

  /** A statement as JDBC takes it. */
  static String sql(SqlStatement statement) {
    return Operators.jdbc(statement);
  }

  List<Command> commands() {
    return commands;
  }

  /** The values of a call: its arguments, and room for what is captured. */
  Object[] values(Object[] arguments) {
    Object[] values = new Object[slots.size()];
    System.arraycopy(arguments, 0, values, 0, arguments.length);
    return values;
  }

  boolean isLastWithRows(int command) {
    return command == lastWithRows;
  }

  /** Whether it is one statement that neither writes nor locks, so that a replica can answer it. */
  boolean suitsReplica() {
    return commands.size() == 1
        && !commands.get(0).writes()
        && !LOCKS.matcher(commands.get(0).sql()).matches();
  }

  boolean returnsRows() {
    return lastWithRows >= 0;
  }

  /**
   * Asks the server once for the types that it expects, and which statements return rows. Where it
   * cannot tell, as of the sum of two parameters, values go as their own classes.
   *
   * @param asks whether the client can ask; without it values go as their own classes
   */
  void describe(Connection connection, boolean asks) throws SQLException {
    if (types != null) {
      return;
    }
    String[][] all = new String[commands.size()][];
    int last = -1;
    for (int i = 0; i < all.length; i++) {
      Command command = commands.get(i);
      all[i] = new String[command.slots().length];
      Arrays.fill(all[i], "");
      boolean rows =
          !command.writes() || command.sql().toLowerCase(Locale.ROOT).contains("returning");
      if (asks) {
        try (PreparedStatement statement = connection.prepareStatement(command.sql())) {
          ParameterMetaData about = statement.getParameterMetaData();
          for (int p = 0; p < all[i].length; p++) {
            all[i][p] = about.getParameterTypeName(p + 1);
          }
          rows = statement.getMetaData() != null;
        } catch (SQLException e) {
          if (!AMBIGUOUS.contains(String.valueOf(e.getSQLState()))) {
            throw e;
          }
        }
      }
      last = rows ? i : last;
    }
    lastWithRows = last;
    types = all;
  }

  void bind(PreparedStatement statement, int command, Object[] values) throws SQLException {
    int[] from = commands.get(command).slots();
    for (int p = 0; p < from.length; p++) {
      Object value = values[from[p]];
      if (value == null) {
        statement.setNull(p + 1, Types.NULL);
      } else {
        Binder.of(value, types[command][p]).set(statement, p + 1, value);
      }
    }
  }
}
