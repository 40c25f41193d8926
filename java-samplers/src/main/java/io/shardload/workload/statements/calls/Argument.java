package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.parameters.Parameter;

/**
 * Makes the values of one parameter.
 *
 * @param added the rows of the table that it may refer to, as far as this generator added them
 */
record Argument(Parameter parameter, Occasion.Recent added) {
  Object draw(Draws draws, long fresh, long nowMillis) {
    return parameter.draw(draws, new Occasion(fresh, added, nowMillis));
  }
}
