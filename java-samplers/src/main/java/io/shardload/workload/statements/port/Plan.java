package io.shardload.workload.statements.port;

import java.util.List;

/**
 * One variant of a transaction for one system, as drivers run it. Drivers keep what they make of it
 * by its identity, so it is made once.
 *
 * @param transaction its name
 * @param variant from 0
 * @param arguments names of the values that a call brings, by their index
 * @param steps what is wanted of each statement, as many as statements
 */
public record Plan(
    String transaction,
    int variant,
    Isolation isolation,
    List<String> arguments,
    List<Statement> statements,
    List<Step> steps) {

  public Plan {
    arguments = List.copyOf(arguments);
    statements = List.copyOf(statements);
    steps = List.copyOf(steps);
    if (statements.size() != steps.size()) {
      throw new IllegalArgumentException("a step for each statement");
    }
  }

  /** Whether it may change data. */
  public boolean writes() {
    return statements.stream().anyMatch(Statement::writes);
  }

  /** Two plans are the same only if they are one object. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
