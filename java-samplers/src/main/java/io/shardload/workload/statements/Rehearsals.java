package io.shardload.workload.statements;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Dependents;
import io.shardload.workload.Outcome;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.calls.Effect;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.parameters.EntityChildren;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Rehearsal.Before;
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
      Judge judge = new Judge(effect, entity.dependents());
      all.add(
          new Rehearsal(
              alone(call.plan()),
              call.arguments(),
              tables(effect == Effect.INSERT ? 0 : 1, entity.judging(judge)),
              reads ? call : Answers.IGNORED,
              () -> reads ? unanswered(call) : judge.problem()));
    }
    return all;
  }

  /**
   * The tables with the first rows of the entity and with what belongs to these.
   *
   * @param after judges the rows of each table
   */
  private List<Before> tables(long rows, List<Answers> after) {
    List<Before> tables = new ArrayList<>();
    tables.add(
        new Before(entity.entity().table(), entity.entity().stored(), 0, rows, after.get(0)));
    for (EntityChildren child : entity.entity().storedChildren()) {
      long end = child.family().first(rows);
      tables.add(new Before(child.table(), child.table(), 0, end, after.get(tables.size())));
    }
    return tables;
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
    private final List<Dependents> dependents;
    private final List<String> rows = new ArrayList<>();
    private final long[] found;
    private final List<String> defects = new ArrayList<>();
    private long ordinal;

    Judge(Effect effect, List<Dependents> dependents) {
      this.effect = effect;
      this.dependents = dependents;
      this.found = new long[dependents.size()];
    }

    @Override
    public void row(long ofRow, long edition, String defect) {
      long right = effect == Effect.UPDATE ? 1 : 0;
      ordinal = ofRow;
      rows.add(
          edition != right
              ? "the row has edition %d after the call, not %d".formatted(edition, right)
              : defect == null
                  ? ""
                  : "column %s does not have what the call must have left there".formatted(defect));
    }

    @Override
    public void dependent(int table, long ofRow, long number, String defect) {
      found[table]++;
      if (defect != null) {
        defects.add(
            "column %s of %s does not have what the call must have left there"
                .formatted(defect, dependents.get(table).words(number)));
      }
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
      for (int i = 0; i < found.length; i++) {
        long own = right == 0 ? 0 : dependents.get(i).count(ordinal);
        if (found[i] != own) {
          defects.add(
              "%d rows like %s are there after the call instead of %d"
                  .formatted(
                      found[i], dependents.get(i).words(dependents.get(i).first(ordinal)), own));
        }
      }
      String problem = right == 0 || rows.get(0).isEmpty() ? "" : rows.get(0);
      return problem.isEmpty() && defects.isEmpty()
          ? ""
          : "is declared as %s, but %s"
              .formatted(effect.label(), problem.isEmpty() ? defects.get(0) : problem);
    }
  }
}
