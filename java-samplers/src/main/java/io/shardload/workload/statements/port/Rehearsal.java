package io.shardload.workload.statements.port;

import java.util.List;
import java.util.function.Supplier;

/**
 * A call that a check executes once, on one row in tables of its own, because the folder declares
 * what it does to that row.
 *
 * @param plan without isolation
 * @param arguments by the index of {@link Plan#arguments}
 * @param tables of the row, and of those that belong to it
 * @param answers judges the answers of the statements
 * @param problem what is wrong after all that; empty if nothing is
 */
@SuppressWarnings("ArrayRecordComponent") // Used once, never compared.
public record Rehearsal(
    Plan plan, Object[] arguments, List<Before> tables, Answers answers, Supplier<String> problem) {

  /**
   * A table with the rows that it has before the call.
   *
   * @param table with the columns that are compared
   * @param whole with all columns
   * @param from number of the first row
   * @param end number after the last
   * @param after receives all rows after the call, as {@link StatementAdmin#read} hands them over
   */
  public record Before(TableRows table, TableRows whole, long from, long end, Answers after) {}

  /** The problem in words, at the statement that works on the row. */
  public Problem problem(String words) {
    Place place =
        plan.statements().stream()
            .filter(Statement::writes)
            .findFirst()
            .orElse(plan.statements().get(0))
            .place();
    // A violated expectation names its statement, too.
    String begin = place + ": ";
    return new Problem(place, words.startsWith(begin) ? words.substring(begin.length()) : words);
  }
}
