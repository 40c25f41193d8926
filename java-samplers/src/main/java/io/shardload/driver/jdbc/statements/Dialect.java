package io.shardload.driver.jdbc.statements;

import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.statements.types.SqlType;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.ValueType;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What a system has of its own where statements from files are run and checked. Thread-safe. */
public interface Dialect {
  /**
   * Text in front of the first statement of a transaction, in the same round trip: it sets the
   * isolation, and ends with a semicolon. Empty where {@link #begin} does this.
   */
  default String prefix(Isolation isolation) {
    return "";
  }

  /** A statement that sets the isolation of one transaction; empty at the server's own level. */
  static String level(Isolation isolation) {
    return isolation == Isolation.NONE || isolation == Isolation.DEFAULT
        ? ""
        : "SET TRANSACTION ISOLATION LEVEL "
            + isolation.label().replace('-', ' ').toUpperCase(Locale.ROOT)
            + ";";
  }

  /** Begins a transaction, which ends by commit or rollback of the connection. */
  default void begin(Connection connection, Isolation isolation) throws SQLException {
    connection.setAutoCommit(false);
  }

  /** Begins a transaction that the server lets only read. */
  default void beginReading(Connection connection) throws SQLException {
    connection.setReadOnly(true);
    connection.setAutoCommit(false);
  }

  /** Begins a transaction in which statements are described, and does not wait long for locks. */
  void beginDescribing(Connection connection) throws SQLException;

  /**
   * Asks the server for the types of a statement, within a transaction.
   *
   * @param samples a value for each place of a parameter; null where none is known
   */
  Described describe(Connection connection, SqlStatement statement, Object[] samples)
      throws SQLException;

  /**
   * The same of a statement whose parameters are stored in columns, or compared with them.
   *
   * @param places the types of these columns
   */
  default Described describe(
      Connection connection, SqlStatement statement, Object[] samples, List<SqlType> places)
      throws SQLException {
    return describe(connection, statement, samples);
  }

  /**
   * Has the server check a statement that may be one of a transaction, within a transaction.
   *
   * @param types of parameters by name
   * @param problems receives what the server does not report by an exception
   * @return empty if the statement cannot be described because of a problem
   */
  default Optional<Described> inspect(
      Connection connection,
      SqlStatement statement,
      Map<String, ValueType> types,
      Consumer<Problem> problems)
      throws SQLException {
    return Optional.of(describe(connection, statement, samples(statement, types)));
  }

  /** Some value for each place of a parameter; null where the type is not known. */
  static Object[] samples(SqlStatement statement, Map<String, ValueType> types) {
    return statement.names().stream()
        .map(name -> SqlType.sample(types.getOrDefault(name, ValueType.CAPTURED)))
        .toArray();
  }

  /** The server's complaint about a statement, at the line of the file that it is about. */
  default Problem problem(SqlStatement statement, SQLException e) {
    return new Problem(statement.place(), Outcomes.firstLine(e));
  }

  /** The table's name as SQL writes it; empty if statements find no such table. */
  default Optional<String> sqlName(Connection connection, String table) throws SQLException {
    return find(connection, table).map(ServerTable::sqlName);
  }

  /** The table with its columns; empty if statements find none of this name. */
  Optional<ServerTable> find(Connection connection, String table) throws SQLException;

  /** The tables that a table's foreign keys refer to, by their names as SQL writes them. */
  List<String> referred(Connection connection, ServerTable table) throws SQLException;

  /** Lets rows be written to a table, in this transaction, without the rows that they refer to. */
  void dropReferences(Statement statement, ServerTable table) throws SQLException;

  /** Whether TRUNCATE was refused because another table refers to the table, or may. */
  boolean truncateRefused(SQLException e);

  /** Before the statements of a schema are executed, in their transaction. */
  default void beginSchema(Statement statement) throws SQLException {}

  /** Where a check makes the tables of a schema. */
  Trial trial(Statement statement) throws SQLException;

  /** Whether a type that is none of text has words as its values. */
  default boolean isEnum(Connection connection, SqlType type) throws SQLException {
    return false;
  }
}
