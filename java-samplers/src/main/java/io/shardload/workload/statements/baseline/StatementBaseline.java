package io.shardload.workload.statements.baseline;

import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Plan;

/**
 * What a driver offers for comparison with the harness: the statements of a folder as one would
 * call them by hand in a loop on the client library. Only the verb {@code calibrate} asks for it;
 * drivers may do without.
 */
public interface StatementBaseline {
  /** Why there is no plain loop for a plan, as the rest of a sentence; empty if there is one. */
  String lacks(Plan plan);

  /**
   * Makes a call ready: text, types and values are settled here, so that {@link Call#run} does what
   * a plain loop has to do and no more.
   *
   * @param arguments by the index of {@link Plan#arguments}; a null is NULL
   */
  Call prepare(Plan plan, Object[] arguments) throws CallFailure;

  /** A prepared call, which may be run again and again, by one thread at a time. */
  @FunctionalInterface
  interface Call {
    /**
     * Takes a connection from the pool that the harness uses too, runs the statements, reads each
     * column of each row with a plain getter, and gives the connection back. Nothing is judged but
     * the number of rows.
     *
     * @throws CallFailure a statement failed, or returned a number of rows that its step refuses
     */
    void run() throws CallFailure;
  }
}
