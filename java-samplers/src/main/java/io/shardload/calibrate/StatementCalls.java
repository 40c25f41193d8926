package io.shardload.calibrate;

import io.shardload.config.ConfigException;
import io.shardload.dataset.SettledEffects;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cost of the harness on the transactions of a folder: each transaction of the mix separately,
 * with 8 workers, in the harness and in a plain loop on the client library.
 *
 * <p>The calls of both sides are added to the counts next to the data, so the folder's checks hold
 * afterwards as after a run. Meanwhile the data set is marked as during a run.
 */
record StatementCalls(List<Figure> figures, List<String> notes) {
  /** The cost for the built-in workload, plus the decoding of types that only the server knows. */
  private static final Figure.Goal CPU = Figure.Goal.atMost(1.15, "");

  static StatementCalls measure(TestBed testBed, StatementsModel given)
      throws IOException, InterruptedException, CallFailure {
    if (!testBed.target().keepsData()) {
      throw new ConfigException(
          "target.name", "a target that keeps no data has no plain loop for a folder's statements");
    }
    StatementsModel model = given.ready(testBed.target());
    StatementBaseline baseline = testBed.target().port(StatementBaseline.class);
    List<String> notes = new ArrayList<>();
    List<String> compared = new ArrayList<>();
    for (String name : testBed.base().mix().names()) {
      String why = why((StatementTransaction) model.transaction(name), baseline);
      if (why.isEmpty()) {
        compared.add(name);
      } else {
        notes.add("not compared: %s, because %s".formatted(name, why));
      }
    }
    if (compared.isEmpty()) {
      throw new ConfigException(
          "mix", "calibrate has nothing to compare; " + String.join("; ", notes));
    }
    notes.add(
        0, "compared: %s, each transaction separately".formatted(String.join(", ", compared)));
    return new StatementCalls(figures(testBed, model, compared), notes);
  }

  private static String why(StatementTransaction transaction, StatementBaseline baseline) {
    if (transaction.takesNewKeys()) {
      return "it needs a new number for each call, and a plain loop repeats its values";
    }
    if (transaction.claimsRows()) {
      return "each call changes another row, and a plain loop repeats its values";
    }
    for (Plan plan : transaction.plans()) {
      String lacks = baseline.lacks(plan);
      if (!lacks.isEmpty()) {
        return lacks;
      }
    }
    return "";
  }

  private static List<Figure> figures(TestBed testBed, StatementsModel model, List<String> compared)
      throws IOException, InterruptedException, CallFailure {
    List<Figure> figures = new ArrayList<>();
    Map<String, Effects> effects = new TreeMap<>();
    boolean writes = compared.stream().anyMatch(name -> model.transaction(name).writes());
    Optional<Header> marked =
        writes && model.keepsRecord()
            ? Optional.of(mark(testBed.target(), testBed.base().runId()))
            : Optional.empty();
    for (String name : compared) {
      Rounds rounds = Rounds.harnessAndPlain(testBed, name, name);
      effects.put(name, new Effects(rounds.all(), 0, 0, Effects.NOT_COUNTED));
      figures.addAll(rounds.harnessOverPlain(name, CPU));
    }
    if (marked.isPresent()) {
      settle(testBed.target(), marked.get(), effects);
    }
    return figures;
  }

  /** An early end leaves the mark: it is then unknown what was written. */
  static Header mark(Target target, String runId) throws CallFailure {
    Header header = target.dataSets().header().orElseThrow();
    Header marked = header.dirtiedBy(runId);
    if (!header.clean() || !target.dataSets().replace(header, marked)) {
      throw new CallFailure("header-changed", true, false, "another process uses the data set");
    }
    return marked;
  }

  /** Adds the calls to the counts of earlier runs. */
  static void settle(Target target, Header marked, Map<String, Effects> effects)
      throws CallFailure {
    DataSetStore store = target.dataSets();
    Map<String, Effects> all = new TreeMap<>(SettledEffects.read(store, marked));
    effects.forEach((name, of) -> all.merge(name, of, Effects::plus));
    SettledEffects.settle(store, marked, all);
  }
}
