package io.shardload.parity;

import io.shardload.data.Draws;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.Dependents;
import io.shardload.workload.Making;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.port.StatementStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** One target that takes part. Not thread-safe. */
public final class ComparedTarget {
  private static final int RANGE = 1024;

  /** When the first call begins; the same on every target. */
  private static final long EPOCH_MILLIS = 1_700_000_000_000L;

  private final String name;
  private final Ports ports;
  private final AtomicLong nowMillis = new AtomicLong(EPOCH_MILLIS);
  private final AnswerRecorder recorder;
  private final Map<String, Effects> effects = new HashMap<>();
  private StatementsModel model;
  private Keys keys;
  private String arguments = "";

  /**
   * @param name of the target
   * @param ports of its scratch place
   */
  public ComparedTarget(String name, StatementsModel model, Ports ports) throws CallFailure {
    this.name = name;
    this.ports = ports;
    this.model = model.comparing(ports, nowMillis::get);
    this.recorder = new AnswerRecorder(ports.port(StatementStore.class));
  }

  String name() {
    return name;
  }

  StatementsModel model() {
    return model;
  }

  /** The transactions that have statements for its system. */
  List<String> transactions() {
    return model.used();
  }

  StatementTransaction transaction(String transaction) {
    return (StatementTransaction) model.transaction(transaction);
  }

  /** The names that the answers of a transaction have. */
  Set<String> compared(String transaction) {
    return transaction(transaction).plans().stream()
        .flatMap(plan -> plan.steps().stream())
        .flatMap(step -> step.compared().keySet().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The arguments of the last call, for people. */
  String arguments() {
    return arguments;
  }

  void load(Progress progress) throws CallFailure {
    long rows = model.documents();
    model.createSchema(ports, Making.UNRECORDED, Progress.UNHEARD);
    model.load(ports, 0, rows, n -> progress.step("load " + name, n, rows, "rows"));
    model.finishLoad(ports, Progress.UNHEARD);
    model = model.ready(ports);
    long followed = model.followsDocuments() ? model.followed() : 0;
    keys =
        new Keys(
            new Ownership(0, 1, followed),
            States.loaded(followed),
            model.ranks(),
            new LocalRanges(rows, RANGE),
            Journal.NONE);
  }

  /** Runs the call with this index. */
  Answered call(String transaction, long seed, long index) {
    nowMillis.incrementAndGet();
    recorder.begin();
    Call<StatementStore> call = transaction(transaction).prepare(new Draws().at(seed, index), keys);
    arguments = call instanceof StatementCall one ? text(one) : "";
    CallFailure failure = call.asks() ? run(call) : null;
    Outcome outcome = call.finish(failure, false);
    effects.merge(transaction, effect(outcome), Effects::plus);
    return recorder.answered(outcome);
  }

  private CallFailure run(Call<StatementStore> call) {
    try {
      call.run(recorder, Phases.NONE);
      return null;
    } catch (CallFailure e) {
      return e;
    } catch (RuntimeException e) {
      // What a driver lets slip is its answer, and not the end of the comparison.
      return new CallFailure("exception", false, false, e.toString());
    }
  }

  private static Effects effect(Outcome outcome) {
    if (outcome instanceof Outcome.Done isDone) {
      return new Effects(1, 0, 0, isDone.changed());
    }
    boolean isUnknown = outcome instanceof Outcome.Unknown;
    boolean isRefused = outcome instanceof Outcome.Refused;
    return new Effects(0, isUnknown ? 1 : 0, isRefused ? 1 : 0, 0);
  }

  private static String text(StatementCall call) {
    Map<String, String> all = new TreeMap<>();
    List<String> names = call.plan().arguments();
    for (int i = 0; i < names.size(); i++) {
      Object value = call.arguments()[i];
      all.put(
          names.get(i),
          value instanceof Object[] each ? Arrays.asList(each).toString() : Canonical.text(value));
    }
    return all.toString();
  }

  /**
   * The rows of the entity by their keys, each with its edition and what is wrong with it; and the
   * checks that find something.
   */
  Map<String, String> state() throws CallFailure {
    Map<String, String> state = new TreeMap<>();
    if (model.followsDocuments()) {
      Walk walk = new Walk(state, model.dependents());
      model.walk(ports, walk);
      walk.end();
    }
    if (model.checks().isPresent()) {
      for (Checks.Answer check : model.checks().get().ask(ports, false, effects)) {
        if (check.verdict() == Checks.Verdict.WRONG) {
          state.put("check " + check.name(), "wrong: " + check.detail());
        }
      }
    }
    return state;
  }

  /** How its state is wrong, or differs from another; empty if it is and does neither. */
  String wrong(Map<String, String> state, Map<String, String> other) {
    for (Map.Entry<String, String> row : state.entrySet()) {
      String there = other.get(row.getKey());
      if (row.getValue().startsWith("wrong") || !row.getValue().equals(there)) {
        return "%s is %s%s"
            .formatted(
                row.getKey(),
                row.getValue(),
                there == null ? ", and the first target lacks it" : "");
      }
    }
    return other.keySet().stream()
        .filter(key -> !state.containsKey(key))
        .findFirst()
        .map(key -> key + " is missing")
        .orElse("");
  }

  /** Collects the rows of the entity, and counts those that belong to them. */
  private final class Walk implements RowVisitor {
    private final Map<String, String> state;
    private final List<Dependents> dependents;
    private final Map<Long, long[]> counts = new HashMap<>();

    Walk(Map<String, String> state, List<Dependents> dependents) {
      this.state = state;
      this.dependents = dependents;
    }

    @Override
    public void row(long ordinal, long edition, String defect) {
      counts.computeIfAbsent(ordinal, unused -> new long[dependents.size()]);
      String row = defect == null ? "edition " + edition : "wrong: " + defect;
      String before = state.put(model.nameOf(ordinal), row);
      if (before != null) {
        state.put(model.nameOf(ordinal), "wrong: it is there twice");
      }
    }

    @Override
    public void dependent(int table, long ordinal, long number, String defect) {
      counts.computeIfAbsent(ordinal, unused -> new long[dependents.size()])[table]++;
      if (defect != null) {
        state.put(dependents.get(table).words(number), "wrong: " + defect);
      }
    }

    @Override
    public void foreign(String description) {
      state.put(description, "wrong: nobody inserted it");
    }

    /** Compares the numbers of rows that belong to one. */
    void end() {
      counts.forEach(
          (ordinal, found) -> {
            for (int i = 0; i < found.length; i++) {
              String key = model.nameOf(ordinal);
              long due = state.containsKey(key) ? dependents.get(i).count(ordinal) : 0;
              if (found[i] != due) {
                state.put(key, "wrong: %d rows belong to it, not %d".formatted(found[i], due));
              }
            }
          });
    }
  }
}
