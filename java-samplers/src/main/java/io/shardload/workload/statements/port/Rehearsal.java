package io.shardload.workload.statements.port;

import java.util.function.Supplier;

/**
 * A call that a check executes once, on one row in tables of its own, because the folder declares
 * what it does to that row.
 *
 * @param plan without isolation
 * @param arguments by the index of {@link Plan#arguments}
 * @param table of the row
 * @param before number of the row in the table before the call; negative for an empty table
 * @param answers judges the answers of the statements
 * @param after receives all rows after the call, as {@link StatementAdmin#read} hands them over
 * @param problem what is wrong after all that; empty if nothing is
 */
@SuppressWarnings("ArrayRecordComponent") // Used once, never compared.
public record Rehearsal(
    Plan plan,
    Object[] arguments,
    TableRows table,
    long before,
    Answers answers,
    Answers after,
    Supplier<String> problem) {

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
