package io.shardload.workload.statements;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Calls of document-store with arguments that a test chooses, whatever its keys are.
 *
 * @param model of the system
 */
public record DocumentStoreCalls(StatementsModel model, StatementStore store) {
  /** Makes its tables on a target. */
  public static DocumentStoreCalls made(StatementsModel model, Ports target) throws CallFailure {
    model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    return new DocumentStoreCalls(model, target.port(StatementStore.class));
  }

  /** The plan of a transaction. */
  public Plan plan(String transaction) {
    return ((StatementTransaction) model.transaction(transaction)).plans().get(0);
  }

  /** Inserts the document of an ordinal; returns how many rows that changed. */
  public long insert(long ordinal) throws CallFailure {
    return changed("insert", ordinal, 0, Map.of());
  }

  /**
   * Updates the document of an ordinal from the edition before to this one; returns how many rows
   * that changed.
   */
  public long update(long ordinal, int edition) throws CallFailure {
    return changed("update", ordinal, edition, Map.of());
  }

  /** Deletes the document of an ordinal; returns how many rows that changed. */
  public long delete(long ordinal) throws CallFailure {
    return changed("delete", ordinal, 0, Map.of());
  }

  /** Runs a write with other values of some arguments; returns how many rows it changed. */
  public long changed(String transaction, long ordinal, int edition, Map<String, ?> others)
      throws CallFailure {
    return changed(transaction, ordinal, edition, others, Phases.NONE);
  }

  /** The same with the phases of the call. */
  public long changed(
      String transaction, long ordinal, int edition, Map<String, ?> others, Phases phases)
      throws CallFailure {
    Collected collected = new Collected(plan(transaction));
    run(transaction, ordinal, edition, others, collected, phases);
    return collected.count;
  }

  /**
   * Runs a find of what the document of an ordinal has at edition 0.
   *
   * @param others other values of arguments, by their names such as {@code data_table.filter2}
   * @return the rows by the names of their columns
   */
  public List<Map<String, Object>> find(String transaction, long ordinal, Map<String, ?> others)
      throws CallFailure {
    return find(transaction, ordinal, others, Phases.NONE);
  }

  /** The same with the phases of the call. */
  public List<Map<String, Object>> find(
      String transaction, long ordinal, Map<String, ?> others, Phases phases) throws CallFailure {
    Collected collected = new Collected(plan(transaction));
    run(transaction, ordinal, 0, others, collected, phases);
    return collected.rows;
  }

  /** Runs a call. */
  public void run(
      String transaction,
      long ordinal,
      int edition,
      Map<String, ?> others,
      Answers answers,
      Phases phases)
      throws CallFailure {
    Plan plan = plan(transaction);
    store.run(plan, arguments(plan, ordinal, edition, others), answers, phases);
  }

  /** The arguments by the index of the plan's. */
  public Object[] arguments(Plan plan, long ordinal, int edition, Map<String, ?> others) {
    return plan.arguments().stream()
        .map(name -> others.containsKey(name) ? others.get(name) : value(name, ordinal, edition))
        .toArray();
  }

  private Object value(String name, long ordinal, int edition) {
    Entity entity = DocumentStoreFolder.entity(model);
    String column = name.substring(name.indexOf('.') + 1);
    if (column.equals("before")) {
      return edition - 1;
    }
    if (name.startsWith("data_table.")) {
      return entity.value(entity.table().columns().indexOf(column), ordinal, edition);
    }
    if (name.startsWith("other_")) {
      return value("data_table." + name.substring("other_".length()), ordinal, edition);
    }
    if (name.equals("now")) {
      return java.time.Instant.EPOCH;
    }
    throw new IllegalArgumentException(name);
  }

  /** Keeps all rows. */
  private static final class Collected implements Answers {
    private final Plan plan;
    private final List<Map<String, Object>> rows = new ArrayList<>();
    private long count;

    Collected(Plan plan) {
      this.plan = plan;
    }

    @Override
    public void begin() {
      rows.clear();
      count = 0;
    }

    @Override
    public void row(int statement, List<?> wanted, Equality equality) {
      List<String> names = plan.steps().get(statement).wanted();
      Map<String, Object> row = new LinkedHashMap<>();
      for (int i = 0; i < names.size(); i++) {
        row.put(names.get(i), wanted.get(i));
      }
      rows.add(row);
    }

    @Override
    public void ended(int statement, long rowsOfStatement) {
      count += rowsOfStatement;
    }
  }
}
