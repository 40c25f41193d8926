package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.parameters.Parameter;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A call on a real store, judged as in a run. */
public final class Judged {
  private Judged() {}

  /**
   * Runs a plan once.
   *
   * @param arguments by the index of the plan's arguments
   */
  public static Outcome outcome(StatementStore store, Plan plan, Object... arguments) {
    return outcome(List.of(store), plan, arguments);
  }

  /** Runs a plan as often as there are stores, one attempt on each, until it succeeds. */
  public static Outcome outcome(List<StatementStore> attempts, Plan plan, Object... arguments) {
    Map<String, Parameter> parameters = new HashMap<>();
    for (int i = 0; i < arguments.length; i++) {
      Object value = arguments[i];
      parameters.put(plan.arguments().get(i), Fakes.parameter(false, (draws, occasion) -> value));
    }
    Call<StatementStore> call =
        Fakes.transaction(parameters, false, plan).prepare(new Draws().at(1, 1), Fakes.keys());
    CallFailure failure = null;
    boolean unknownBefore = false;
    for (StatementStore store : attempts) {
      unknownBefore |= failure != null && !failure.effectExcluded();
      try {
        call.run(store, Phases.NONE);
        return call.finish(null, unknownBefore);
      } catch (CallFailure e) {
        failure = e;
      }
    }
    return call.finish(failure, unknownBefore);
  }
}
