package io.shardload.calibrate;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.dataset.SettledEffects;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.baseline.StatementBaseline;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.port.Plan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
  private static final Goal THROUGHPUT = Goal.atLeast(0.97, "");

  /** The cost for the built-in workload, plus the decoding of types that only the server knows. */
  private static final Goal CPU = Goal.atMost(1.15, "");

  private static final Span SPAN = new Span(2);
  private static final int WORKERS = 8;

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
      JsonObject config = testBed.json().deepCopy();
      JsonObject mix = new JsonObject();
      mix.addProperty(name, 100);
      config.add("mix", mix);
      Sides sides =
          Sides.measure(testBed, name, config, WORKERS, SPAN, List.of("harness", "plain"));
      effects.put(name, new Effects(sides.all(), 0));
      figures.addAll(figures(name, sides));
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

  private static List<Figure> figures(String name, Sides sides) {
    String detail =
        String.format(
            Locale.ROOT,
            "operations/s: harness %.0f, plain loop %.0f; client CPU us per operation: %.2f, %.2f;"
                + " %d workers; done %d",
            sides.mean("harness", Measured::perSecond),
            sides.mean("plain", Measured::perSecond),
            sides.mean("harness", Measured::cpuMicros),
            sides.mean("plain", Measured::cpuMicros),
            WORKERS,
            sides.all());
    return List.of(
        Figure.ofRatios(
            name + ": throughput, harness over plain loop",
            THROUGHPUT,
            sides.compare("harness", "plain", (h, p) -> h.perSecond() / p.perSecond()),
            detail),
        Figure.ofRatios(
            name + ": client CPU per operation, harness over plain loop",
            CPU,
            sides.compare("harness", "plain", (h, p) -> h.cpuMicros() / p.cpuMicros()),
            detail));
  }
}
