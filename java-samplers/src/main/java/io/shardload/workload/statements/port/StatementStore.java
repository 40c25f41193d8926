package io.shardload.workload.statements.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;

/** Runs statements from files. Thread-safe. */
public interface StatementStore {
  /** The kind of a failure because a captured column had no row; writes are rolled back. */
  String NOTHING_CAPTURED = "nothing-captured";

  /** The name of the server's system, as in file names: {@code citus}, {@code postgresql}. */
  String system();

  /**
   * Runs all statements of a plan. All rows are read to the end and decoded.
   *
   * <p>Phases: {@code connected} when a connection is available; {@code found} at the first row of
   * the last statement that returns rows; {@code acknowledged} after the commit if no statement
   * returns rows.
   *
   * @param arguments by the index of {@link Plan#arguments}; a null is NULL
   * @throws CallFailure the effect is excluded if the server rejected the statement or the whole
   *     transaction, and no earlier statement took effect; it is unknown after a commit without an
   *     answer, or after a later failure of statements outside a transaction. The same for what
   *     {@link Answers#ended} throws
   */
  void run(Plan plan, Object[] arguments, Answers answers, Phases phases) throws CallFailure;
}
