package io.shardload.workload.statements.port;

import io.shardload.workload.CallFailure;
import java.util.List;

/**
 * Receives the results of the statements of one call, in their order. Another attempt of the call
 * begins with {@link #begin()}. Used by one thread.
 */
public interface Answers {
  /** As the number of rows: the target keeps no data, so nothing is judged by its answers. */
  long UNJUDGED = -1;

  /** The kind of a failure because of wrong rows. */
  String WRONG_ROW = "wrong-row";

  /** The kind of a failure because a guard was not met. */
  String REFUSED = "refused";

  /** Accepts all results. */
  Answers IGNORED =
      new Answers() {
        @Override
        public void begin() {}

        @Override
        public void row(int statement, List<?> wanted, Equality equality) {}

        @Override
        public void ended(int statement, long rows) {}
      };

  /** An attempt begins: earlier results are discarded. */
  void begin();

  /**
   * A row, decoded whole. MongoDB: a document.
   *
   * @param wanted the values of the step's {@link Step#wanted} columns, in the classes of {@link
   *     ValueType}; null for NULL and for missing values. Most calls look at few of them, so a
   *     value may be converted when it is asked for. Valid until the next row.
   * @param equality of these columns and parameters
   */
  void row(int statement, List<?> wanted, Equality equality);

  /**
   * A statement has ended. The driver calls this before it sends anything else, so that a
   * transaction with a wrong answer is never committed.
   *
   * @param rows that it returned, or changed (MongoDB: matched, where it updates); or {@link
   *     #UNJUDGED}
   * @throws CallFailure the answer ends the call. The driver rolls back a transaction; without one
   *     the effect of statements that write is not excluded.
   */
  void ended(int statement, long rows) throws CallFailure;
}
