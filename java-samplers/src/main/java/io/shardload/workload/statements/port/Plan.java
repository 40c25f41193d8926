package io.shardload.workload.statements.port;

import io.shardload.workload.Repeats;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One variant of a transaction for one system, in the form that drivers run. Drivers cache their
 * translation by the identity of the plan, so it is created once.
 *
 * @param transaction its name
 * @param variant from 0
 * @param arguments names of the values of a call, by their index
 * @param steps the expectation of each statement, as many as statements
 * @param repeats when a call is repeated
 */
public record Plan(
    String transaction,
    int variant,
    Isolation isolation,
    List<String> arguments,
    List<Statement> statements,
    List<Step> steps,
    Repeats repeats) {

  /** A plan that is repeated as the profile says. */
  public Plan(
      String transaction,
      int variant,
      Isolation isolation,
      List<String> arguments,
      List<Statement> statements,
      List<Step> steps) {
    this(transaction, variant, isolation, arguments, statements, steps, Repeats.BY_PROFILE);
  }

  public Plan {
    arguments = List.copyOf(arguments);
    statements = List.copyOf(statements);
    steps = List.copyOf(steps);
    if (statements.size() != steps.size()) {
      throw new IllegalArgumentException("each statement needs a step");
    }
  }

  /** The same, but the driver passes on what systems are compared by, too. */
  public Plan comparing() {
    List<Step> compared = steps.stream().map(Step::comparing).toList();
    return new Plan(transaction, variant, isolation, arguments, statements, compared, repeats);
  }

  /** Where each value of a call lies, by its name: first its arguments, then what is captured. */
  public Map<String, Integer> slots() {
    Map<String, Integer> slots = new HashMap<>();
    arguments.forEach(name -> slots.putIfAbsent(name, slots.size()));
    for (Step step : steps) {
      step.capture().keySet().stream().sorted().forEach(n -> slots.putIfAbsent(n, slots.size()));
    }
    return slots;
  }

  /** Whether it may change data. */
  public boolean writes() {
    // Without a stream: each call asks.
    for (Statement statement : statements) {
      if (statement.writes()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a statement is run once for each element of a list. */
  public boolean repeatsStatements() {
    return steps.stream().anyMatch(step -> !step.each().isEmpty());
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
