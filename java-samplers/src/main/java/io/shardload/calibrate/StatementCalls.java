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
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The cost of the harness on the transactions of a folder: each transaction of the mix separately,
 * with 8 workers, in the harness and in a plain loop on the client library.
 *
 * <p>The calls of both sides are added to the counts next to the data, so the folder's checks hold
 * afterwards as after a run. Meanwhile the data set is marked as during a run.
 */
record StatementCalls(List<Figure> figures, List<String> notes) {
  private static final Figure.Goal POINT_READ_CPU = Figure.Goal.atMost(1.10, "");
  private static final Figure.Goal CPU = Figure.Goal.atMost(1.15, "");

  static StatementCalls measure(TestBed testBed, StatementsModel given)
      throws IOException, InterruptedException, CallFailure {
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
    return new StatementCalls(figures(testBed, model, compared, notes), notes);
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

  private static List<Figure> figures(
      TestBed testBed, StatementsModel model, List<String> compared, List<String> notes)
      throws IOException, InterruptedException, CallFailure {
    List<Figure> figures = new ArrayList<>();
    Map<String, Effects> effects = new TreeMap<>();
    boolean writes = compared.stream().anyMatch(name -> model.transaction(name).writes());
    Optional<Header> marked =
        writes && model.keepsRecord()
            ? Optional.of(mark(testBed.target(), testBed.base().runId()))
            : Optional.empty();
    for (String name : compared) {
      OptionalLong before = searches(testBed, model, name);
      Rounds rounds = Rounds.harnessAndPlain(testBed, name, name);
      effects.put(name, new Effects(rounds.all(), 0, 0, Effects.NOT_COUNTED));
      notes.addAll(rounds.parts(name));
      List<Figure> measured = rounds.harnessOverPlain(name, goal(model, name));
      figures.addAll(
          before.isEmpty()
              ? measured
              : counted(testBed, model, rounds, before.getAsLong(), measured));
    }
    if (marked.isPresent()) {
      settle(testBed.target(), marked.get(), effects);
    }
    return figures;
  }

  /** What the server has counted of searches by the whole key; empty for other transactions. */
  private static OptionalLong searches(TestBed testBed, StatementsModel model, String name)
      throws CallFailure {
    return model.readsByKey(name)
        ? testBed.target().port(StatementBaseline.class).searches(table(model))
        : OptionalLong.empty();
  }

  private static String table(StatementsModel model) {
    return model.entityRows().orElseThrow().table();
  }

  /**
   * The server must count as many reads as both sides, once their closed connections have reported.
   */
  private static List<Figure> counted(
      TestBed testBed, StatementsModel model, Rounds rounds, long before, List<Figure> measured)
      throws CallFailure, InterruptedException {
    StatementBaseline baseline = testBed.target().port(StatementBaseline.class);
    long counted = -1;
    // Until two counts are equal: what arrives late may be more than the sides did.
    for (int i = 0; i < 50; i++) {
      Thread.sleep(200);
      long last = counted;
      counted = baseline.searches(table(model)).orElseThrow() - before;
      if (counted >= rounds.all() && counted == last) {
        break;
      }
    }
    boolean trusted = counted == rounds.all();
    String found = "counted by the server: " + counted;
    return measured.stream().map(figure -> figure.checked(found, trusted)).toList();
  }

  /** A read of at most one row has fewer values to convert. */
  private static Figure.Goal goal(StatementsModel model, String name) {
    return ((StatementTransaction) model.transaction(name))
            .plans().stream()
                .flatMap(plan -> plan.steps().stream())
                .allMatch(step -> step.most() <= 1)
        ? POINT_READ_CPU
        : CPU;
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
