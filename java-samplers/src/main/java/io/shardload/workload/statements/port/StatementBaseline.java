package io.shardload.workload.statements.port;

import io.shardload.workload.CallFailure;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a driver offers for comparison with the harness: the statements of a folder in a
 * hand-written loop on the client library, and the bulk path of the database. Only the verb {@code
 * calibrate} uses it; it is optional for drivers.
 */
public interface StatementBaseline {
  /** Why there is no plain loop for a plan, as the rest of a sentence; empty if there is one. */
  String lacks(Plan plan);

  /**
   * Prepares a call: text, types and values are determined here, so that {@link Call#run} does only
   * what a plain loop must do.
   *
   * @param arguments by the index of {@link Plan#arguments}; a null is NULL
   */
  Call prepare(Plan plan, Object[] arguments) throws CallFailure;

  /**
   * The database's own bulk path with rows that were made beforehand; empty if the driver has none.
   *
   * @param rows of which the first are written, in one batch
   */
  default Optional<Call> bulk(TableRows rows, int count) throws CallFailure {
    return Optional.empty();
  }

  /**
   * How many searches in a table the server has counted: a read by the whole key is one.
   * Connections may report their part only when they close. Empty if the server does not count all
   * of them.
   */
  default OptionalLong searches(String table) throws CallFailure {
    return OptionalLong.empty();
  }

  /** Ends a call whose statement has another number of rows than its step allows. */
  static void judge(Step step, long rows) throws CallFailure {
    if (!step.allows(rows)) {
      throw new CallFailure(Answers.WRONG_ROW, false, false, "%d rows".formatted(rows));
    }
  }

  /** A prepared call, which may be run again and again, by one thread at a time. */
  @FunctionalInterface
  interface Call {
    /**
     * Takes a connection from the same pool as the harness, runs the statements, reads each column
     * of each row with a plain getter, and returns the connection. Only the number of rows is
     * judged.
     *
     * @return the number of rows
     * @throws CallFailure a statement failed, or returned a number of rows that its step refuses
     */
    long run() throws CallFailure;
  }
}
