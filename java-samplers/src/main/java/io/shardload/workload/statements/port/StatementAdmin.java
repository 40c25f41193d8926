package io.shardload.workload.statements.port;

import io.shardload.workload.CallFailure;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/** What is done around a run with statements from files. Thread-safe. */
public interface StatementAdmin {
  /**
   * The tables that there are, of those named.
   *
   * @param tables without their schema, or with it after a dot
   */
  List<String> present(List<String> tables) throws CallFailure;

  /**
   * Makes the tables.
   *
   * @param schema the statements of the schema's file, in order
   * @param drop tables that are dropped first, those that are there
   */
  void createTables(List<Statement> schema, List<String> drop) throws CallFailure;

  /**
   * Has the server look at statements without running them: what does not parse, is no statement
   * that may stand in a transaction, names what is not there, takes an argument of another type, or
   * does not return a wanted column.
   *
   * @param schema statements that make the tables, in a place of our own that is dropped again; or
   *     empty where the tables are there
   * @param tables that these statements are to make, and no others
   * @param plans all variants of all transactions, checks and queries
   * @param types of the arguments by name; captured ones are not there
   * @return all problems
   */
  List<Problem> check(
      List<Statement> schema,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types)
      throws CallFailure;

  /**
   * Writes rows, by the fastest way that the system has for many.
   *
   * @param from number of the first row
   * @param end number after the last
   * @param progress told the number of rows written so far by this call
   */
  void load(TableRows rows, long from, long end, LongConsumer progress) throws CallFailure;

  /** Deletes rows that an interrupted load may have left: all of a table's. */
  void empty(String table) throws CallFailure;

  /** After a load: statistics for the planner, and the like. */
  default void finishLoad(List<String> tables) throws CallFailure {}

  long count(String table) throws CallFailure;

  /** How many rows there are by the server's own estimate; empty if it has none. */
  default OptionalLong estimate(String table) throws CallFailure {
    return OptionalLong.empty();
  }

  /**
   * What a statement that only reads returns: for checks, and for the values of a parameter.
   *
   * @param rows the first rows, each with all columns by name, in the classes of {@link ValueType}
   * @param count how many there are
   */
  record Answer(List<Map<String, Object>> rows, long count) {}

  /**
   * Asks it once, with all that was acknowledged in view.
   *
   * @param arguments by name
   * @param most rows to return
   */
  Answer ask(Statement statement, Map<String, Object> arguments, int most) throws CallFailure;

  /** Whether the server has transactions of several statements; else why not, in words. */
  default String lacksTransactions() throws CallFailure {
    return "";
  }

  /**
   * How the server says it runs a plan with these arguments; nothing is executed. Keys as in {@link
   * io.shardload.workload.Model#plans}; empty if the driver does not tell.
   */
  default Map<String, Object> explain(Plan plan, Object[] arguments) throws CallFailure {
    return Map.of();
  }

  /** Sizes of tables and indexes, as {@link io.shardload.workload.Model#storage}. */
  default Map<String, Object> storage(List<String> tables) throws CallFailure {
    return Map.of();
  }
}
