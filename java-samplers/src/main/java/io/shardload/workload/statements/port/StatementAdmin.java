package io.shardload.workload.statements.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.ShardShares;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/** The operations before and after a run with statements from files. Thread-safe. */
public interface StatementAdmin {
  /**
   * The existing tables among the named ones.
   *
   * @param tables without their schema, or as schema.table
   */
  List<String> present(List<String> tables) throws CallFailure;

  /**
   * Creates the tables.
   *
   * @param schema the statements of the schema's file, in order
   * @param making what is dropped first
   * @param steps receives steps that may take long
   */
  void createTables(List<Statement> schema, Making making, Progress steps) throws CallFailure;

  /** The same without reports of progress. */
  default void createTables(List<Statement> schema, Making making) throws CallFailure {
    createTables(schema, making, Progress.UNHEARD);
  }

  /**
   * Creates what an interrupted {@link #createTables} left out of tables that exist; by default it
   * leaves nothing out.
   *
   * @return whether it created anything
   * @throws io.shardload.config.ConfigException as {@link #checkTables}
   */
  default boolean completeTables(List<Statement> schema, Progress steps) throws CallFailure {
    return false;
  }

  /**
   * Refuses existing tables that are not as the schema makes them, as far as the server's checks of
   * statements do not show it; changes nothing.
   *
   * @throws io.shardload.config.ConfigException how they differ
   */
  default void checkTables(List<Statement> schema) throws CallFailure {}

  /**
   * Has the server check statements without running them. It finds statements that do not parse,
   * are not allowed in a transaction, use a missing object, take an argument of another type, or do
   * not return a required column.
   *
   * @param schema statements that create the tables, in a temporary schema or database that is
   *     dropped again; or empty if the tables exist
   * @param tables that these statements must create, and no others
   * @param plans all variants of all transactions, checks and queries
   * @param types of the arguments by name, without captured values
   * @param rehearsals executed in those tables, if there are no other problems
   * @return all problems
   */
  List<Problem> check(
      List<Statement> schema,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types,
      List<Rehearsal> rehearsals)
      throws CallFailure;

  /**
   * Writes rows by the system's fastest bulk path.
   *
   * @param from number of the first row
   * @param end number after the last
   * @param isContinued whether an interrupted load may have left some of them, which stay; only
   *     where {@link #refusesCopies}
   * @param progress receives the number of rows written so far by this call
   */
  void load(TableRows rows, long from, long end, boolean isContinued, LongConsumer progress)
      throws CallFailure;

  /** The same for rows that are not there. */
  default void load(TableRows rows, long from, long end, LongConsumer progress) throws CallFailure {
    load(rows, from, end, false, progress);
  }

  /** Whether the server refuses a second copy of a row of this table. */
  default boolean refusesCopies(TableRows rows) throws CallFailure {
    return false;
  }

  /** Deletes all rows of a table, because an interrupted load may have left some. */
  void empty(String table) throws CallFailure;

  /**
   * After a load: updates planner statistics and similar.
   *
   * @param steps receives steps that may take long
   */
  default void finishLoad(List<String> tables, Progress steps) throws CallFailure {}

  /**
   * Reads rows of a table whole, streaming, with everything that was acknowledged in view.
   *
   * @param table whose columns are read, in their order
   * @param key its column that identifies a row
   * @param keys of the rows that are read, by an index; null for all rows
   * @param rows receives them as rows of statement 0
   */
  void read(TableRows table, String key, List<Object> keys, Answers rows) throws CallFailure;

  /** A part of a table, which one thread reads on its own connection. */
  @FunctionalInterface
  interface TablePart {
    /** As {@link #read} of all rows, for this part only. */
    void read(Answers rows) throws CallFailure;
  }

  /**
   * Divides a table into parts that can be read at the same time: every row is in exactly one.
   * Returns one part if several would mean more work for the server.
   *
   * @param table whose columns are read
   * @param key its column that identifies a row
   * @param threads number of reading threads
   */
  default List<TablePart> parts(TableRows table, String key, int threads) throws CallFailure {
    return List.of(rows -> read(table, key, null, rows));
  }

  long count(String table) throws CallFailure;

  /** The number of rows by the server's own estimate; empty if it has none. */
  default OptionalLong estimate(String table) throws CallFailure {
    return OptionalLong.empty();
  }

  /**
   * The result of a read-only statement: for checks, and for the values of a parameter.
   *
   * @param rows the first rows, each with all columns by name, in the classes of {@link ValueType}
   * @param count how many there are
   */
  record Answer(List<Map<String, Object>> rows, long count) {}

  /**
   * Runs the statement once; it sees everything that was acknowledged.
   *
   * @param arguments by name
   * @param most rows to return
   */
  Answer ask(Statement statement, Map<String, Object> arguments, int most) throws CallFailure;

  /** Empty if the server supports transactions of several statements; otherwise the reason. */
  default String lacksTransactions() throws CallFailure {
    return "";
  }

  /**
   * The server's query plan with these arguments; nothing is executed. Keys as in {@link
   * io.shardload.workload.Model#plans}; empty if the driver does not support plans.
   *
   * @param grouping a search for a group of rows without another condition is shown as such
   */
  default Map<String, Object> explain(Plan plan, Object[] arguments, Optional<Grouping> grouping)
      throws CallFailure {
    return Map.of();
  }

  /**
   * What the server knows of the shards of a table; by default nothing.
   *
   * @param column by whose values the rows are grouped
   */
  default ShardShares.Shards shards(String table, String column) {
    return ShardShares.Shards.NONE;
  }

  /** Sizes of tables and indexes, as {@link io.shardload.workload.Model#storage}. */
  default Map<String, Object> storage(List<String> tables) throws CallFailure {
    return Map.of();
  }
}
