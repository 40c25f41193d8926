package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs calls on a store, and keeps of the last one what its steps list under {@code answer}. The
 * plans must be those of {@link Plan#comparing}. Not thread-safe.
 */
final class AnswerRecorder implements StatementStore {
  private final StatementStore store;
  private final List<Map<String, String>> rows = new ArrayList<>();
  private String order = "";
  private boolean isLimited;

  AnswerRecorder(StatementStore store) {
    this.store = store;
  }

  /** What the last call answered. */
  Answered answered(Outcome outcome) {
    return new Answered(Answered.words(outcome), List.copyOf(rows), order, isLimited);
  }

  @Override
  public String system() {
    return store.system();
  }

  @Override
  public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
      throws CallFailure {
    begin();
    try {
      store.run(plan, arguments, new Kept(plan, answers), phases);
    } catch (CallFailure e) {
      rows.clear();
      throw e;
    }
  }

  /** Forgets the last call. */
  void begin() {
    rows.clear();
    order = "";
    isLimited = false;
  }

  /** Keeps what it passes on. */
  private final class Kept implements Answers {
    private final Plan plan;
    private final Answers answers;

    Kept(Plan plan, Answers answers) {
      this.plan = plan;
      this.answers = answers;
    }

    @Override
    public void begin() {
      AnswerRecorder.this.begin();
      answers.begin();
    }

    @Override
    public void row(int statement, List<?> wanted, Equality equality) {
      Step step = plan.steps().get(statement);
      Map<String, String> paths = step.compared();
      if (!paths.isEmpty()) {
        Map<String, Object> columns = new LinkedHashMap<>();
        List<String> names = step.wanted();
        for (int i = 0; i < wanted.size(); i++) {
          columns.put(names.get(i), wanted.get(i));
        }
        rows.addAll(Canonical.rows(columns, paths));
      }
      answers.row(statement, wanted, equality);
    }

    @Override
    public void ended(int statement, long count) throws CallFailure {
      Step step = plan.steps().get(statement);
      if (!step.compared().isEmpty()) {
        isLimited |= count == step.most() && (step.fewest() < count || step.order() != null);
        order = step.order() == null ? "" : nameOf(step.order().column(), step.compared());
      }
      answers.ended(statement, count);
    }

    private static String nameOf(String column, Map<String, String> paths) {
      return paths.entrySet().stream()
          .filter(one -> one.getValue().equals(column))
          .map(Map.Entry::getKey)
          .findFirst()
          .orElse("");
    }
  }
}
