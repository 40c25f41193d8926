package io.shardload.workload.statements;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Outcome;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.calls.Effect;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Rehearsal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One call of each transaction that works on a row of the entity, for a check to execute. */
record Rehearsals(EntityRows entity, Definitions definitions) {
  private static final int RANGE = 16;

  /** Those of the transactions that a model uses. */
  List<Rehearsal> of(StatementsModel model) {
    return model.used().stream()
        .map(name -> (StatementTransaction) model.transaction(name))
        .filter(Objects::nonNull)
        .flatMap(one -> of(one).stream())
        .toList();
  }

  private List<Rehearsal> of(StatementTransaction transaction) {
    Effect effect = definitions.effects().get(transaction.name());
    List<Rehearsal> all = new ArrayList<>();
    for (int variant = 0; effect != null && variant < transaction.plans().size(); variant++) {
      StatementCall call = transaction.prepare(variant, new Draws().at(1, variant), keys());
      boolean reads = effect == Effect.READ;
      Judge judge = new Judge(effect);
      all.add(
          new Rehearsal(
              alone(call.plan()),
              call.arguments(),
              entity.entity().table(),
              effect == Effect.INSERT ? -1 : 0,
              reads ? call : Answers.IGNORED,
              entity.judging(judge),
              () -> reads ? unanswered(call) : judge.problem()));
    }
    return all;
  }

  /** What a read lacks that violates nothing. */
  private static String unanswered(StatementCall call) {
    Outcome outcome = call.finish(null, false);
    boolean isStale =
        outcome instanceof Outcome.Done done
            ? done.stale()
            : outcome instanceof Outcome.Missing missing && missing.stale();
    return isStale ? "is declared as read, but does not return the row that it works on" : "";
  }

  private static Plan alone(Plan plan) {
    return new Plan(
        plan.transaction(),
        plan.variant(),
        Isolation.NONE,
        plan.arguments(),
        plan.statements(),
        plan.steps());
  }

  /** With the first row, at edition 0. */
  private Keys keys() {
    return new Keys(
        new Ownership(0, 1, 1),
        States.loaded(1),
        KeyDistribution.uniform(),
        new LocalRanges(Math.max(1, entity.documents()), RANGE),
        Journal.NONE);
  }

  /** Looks at what a call has left. */
  private static final class Judge implements RowVisitor {
    private final Effect effect;
    private final List<String> rows = new ArrayList<>();

    Judge(Effect effect) {
      this.effect = effect;
    }

    @Override
    public void row(long ordinal, long edition, String defect) {
      long right = effect == Effect.UPDATE ? 1 : 0;
      rows.add(
          edition != right
              ? "the row has edition %d after the call, not %d".formatted(edition, right)
              : defect == null
                  ? ""
                  : "column %s does not have what the call must have left there".formatted(defect));
    }

    @Override
    public void foreign(String description) {
      rows.add("the call leaves a row that has no number: " + description);
    }

    String problem() {
      int right = effect == Effect.DELETE ? 0 : 1;
      if (rows.size() != right) {
        return "is declared as %s, but %d rows are there after the call instead of %d"
            .formatted(effect.label(), rows.size(), right);
      }
      return right == 0 || rows.get(0).isEmpty()
          ? ""
          : "is declared as %s, but %s".formatted(effect.label(), rows.get(0));
    }
  }
}
