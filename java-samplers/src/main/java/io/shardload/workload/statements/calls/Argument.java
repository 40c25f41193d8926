package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.parameters.Parameter;

/**
 * Generates the values of one parameter.
 *
 * @param added the rows that this generator added to the table that the parameter refers to
 */
record Argument(Parameter parameter, Occasion.Recent added) {
  Object draw(Draws draws, long fresh, long nowMillis) {
    return parameter.draw(draws, new Occasion(fresh, added, nowMillis));
  }
}
