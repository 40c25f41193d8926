package io.shardload.workload.statements.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;

/** Runs statements from files. Thread-safe. */
public interface StatementStore {
  /** The kind of a failure where a captured column had no row; what was written is undone. */
  String NOTHING_CAPTURED = "nothing-captured";

  /** The name of the system that answers, as files are named: {@code citus}, {@code postgresql}. */
  String system();

  /**
   * Runs all statements of a plan. All rows are read to the end and decoded.
   *
   * <p>Phases: {@code connected} when a connection is at hand; {@code found} at the first row of
   * the last statement that returns rows, {@code acknowledged} where none does, after the commit.
   *
   * @param arguments by the index of {@link Plan#arguments}; a null is NULL
   * @throws CallFailure the effect is excluded if the server says so of the statement or of the
   *     whole transaction, and nothing before it has taken effect; a commit without an answer, or a
   *     later failure of statements that are no transaction, is unknown
   */
  void run(Plan plan, Object[] arguments, Answers answers, Phases phases) throws CallFailure;
}
