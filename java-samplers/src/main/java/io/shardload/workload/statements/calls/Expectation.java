package io.shardload.workload.statements.calls;

import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Repetition;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.Step.Relation;
import io.shardload.workload.statements.port.Values;
import java.util.List;
import java.util.OptionalInt;

/**
 * How the rows of one statement of a plan must be. Immutable.
 *
 * @param pairs that hold in each row
 * @param sorted index of the column that gives the order; -1 if any order is right
 */
record Expectation(List<Pair> pairs, int sorted, boolean descending) {
  /** A column and the arguments of which one must fit, by their indexes. */
  private record Pair(Relation relation, int column, List<Integer> arguments) {
    boolean holds(Object column, Equality equality, Object[] all, int repetition) {
      for (int argument : arguments) {
        if (holds(column, equality, Repetition.at(all[argument], repetition))) {
          return true;
        }
      }
      return false;
    }

    private boolean holds(Object column, Equality equality, Object parameter) {
      return switch (relation) {
        case EQUAL, AMONG -> equality.holds(this.column, column, parameter);
        case CONTAINS -> equality.contains(this.column, column, parameter);
        case GREATER -> Values.compare(column, parameter).orElse(0) > 0;
        case AT_LEAST -> Values.compare(column, parameter).orElse(-1) >= 0;
        case LESS -> Values.compare(column, parameter).orElse(0) < 0;
        case AT_MOST -> Values.compare(column, parameter).orElse(1) <= 0;
        case ANSWER, COMPARED -> true;
      };
    }
  }

  /** Of each statement. */
  static List<Expectation> of(Plan plan) {
    return plan.steps().stream().map(step -> of(step, plan.arguments())).toList();
  }

  private static Expectation of(Step step, List<String> arguments) {
    List<String> wanted = step.wanted();
    return new Expectation(
        step.conditions().stream()
            .filter(one -> one.relation().isOfParameter())
            .map(one -> pair(step, one, arguments))
            .distinct()
            .toList(),
        step.order() == null ? -1 : wanted.indexOf(step.order().column()),
        step.order() != null && step.order().descending());
  }

  private static Pair pair(Step step, Step.Condition of, List<String> arguments) {
    return new Pair(
        of.relation(),
        step.wanted().indexOf(of.column()),
        step.conditions().stream()
            .filter(one -> of.relation() == Relation.AMONG ? one.isBeside(of) : one.equals(of))
            .map(one -> arguments.indexOf(one.parameter()))
            .toList());
  }

  /**
   * What a row violates: a key of {@code workload.yml}, or nothing.
   *
   * @param repetition of the statement that returned the row
   * @param before the column that gives the order, in the row before; null for the first row
   */
  String violated(
      List<?> row, Equality equality, Object[] arguments, int repetition, Object before) {
    for (Pair pair : pairs) {
      if (!pair.holds(row.get(pair.column), equality, arguments, repetition)) {
        return pair.relation.label();
      }
    }
    OptionalInt order = sorted < 0 ? OptionalInt.empty() : Values.compare(before, row.get(sorted));
    return order.isPresent() && (descending ? order.getAsInt() < 0 : order.getAsInt() > 0)
        ? "sorted"
        : "";
  }
}
