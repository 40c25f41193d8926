package io.shardload.workload.statements.calls;

import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Step;
import java.util.List;

/** Which wanted columns of a plan's rows must equal which arguments. Immutable. */
final class Expectation {
  /** Column and argument by their indexes. */
  private record Pair(int column, int argument) {}

  private final Pair[][] pairs;

  Expectation(Plan plan) {
    pairs = plan.steps().stream().map(step -> pairs(step, plan.arguments())).toArray(Pair[][]::new);
  }

  private static Pair[] pairs(Step step, List<String> arguments) {
    List<String> wanted = step.wanted();
    return step.equal().entrySet().stream()
        .map(e -> new Pair(wanted.indexOf(e.getKey()), arguments.indexOf(e.getValue())))
        .toArray(Pair[]::new);
  }

  /** Whether a row of a statement is right. */
  boolean holds(int statement, Object[] row, Equality equality, Object[] arguments) {
    for (Pair pair : pairs[statement]) {
      if (!equality.holds(pair.column, row[pair.column], arguments[pair.argument])) {
        return false;
      }
    }
    return true;
  }
}
