package io.shardload.generator;

import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.Arrivals;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Mix;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.generator.schedule.Segment;
import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.NoKey;
import io.shardload.workload.Phases;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.StatementStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another number of generators changes who does the load, not what is done. */
class DivisionTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1000 * MS;
  private static final int CLOSED_ARRIVALS = 2100;

  @TempDir Path directory;

  private static final double EXPONENT = 0.99;
  private static final String MIX_OF_THE_STUDY =
      """
      {"update": 5, "delete": 5, "insert": 20, "find-by-id-and-filter4-and-filter5-list": 0.7,
       "find-by-id-and-filter4-list": 28, "find-by-id-and-filter5": 2.1,
       "find-by-id-and-filter2": 7, "find-by-id-and-filter2-list": 28,
       "find-by-id-and-filter3-lte": 0.7, "find-by-id-and-filter1": 3.5}
      """;

  private static LoadConfig load(
      boolean open, boolean poisson, int workers, int generator, int generators, Segment... all) {
    int own = workers / generators + (generator < workers % generators ? 1 : 0);
    return new LoadConfig(
        open, poisson, own, generator, generators, List.of(all), 0, Duration.ofSeconds(10), false);
  }

  private static LoadConfig ramp(String model, int generator, int generators) {
    return load(
        !model.equals("closed"),
        model.equals("poisson"),
        17,
        generator,
        generators,
        segment("ramp", Segment.Kind.RAMP, 0, 2, 0, 300),
        segment("hold", Segment.Kind.HOLD, 2, 8, 300, 300));
  }

  /** Index, due time, transaction and the following draws of all arrivals, each as one text. */
  private List<String> arrivals(String model, int generator, int generators) {
    Plan plan =
        new Simulation(directory, ramp(model, generator, generators))
            .mix("{'insert': 40, 'find-by-id-and-filter1': 60}")
            .plan();
    Arrivals arrivals = plan.schedule().arrivals();
    List<String> result = new ArrayList<>();
    Draws draws = new Draws();
    Arrival arrival;
    while ((arrival = arrivals.next()) != null && result.size() < CLOSED_ARRIVALS / generators) {
      int transaction = plan.transaction(arrival, draws);
      result.add(
          "%d %d %d %d %d"
              .formatted(
                  arrival.index(),
                  arrival.dueNanos(),
                  transaction,
                  draws.nextLong(),
                  draws.nextLong()));
    }
    return result;
  }

  /** Mutations: give generator g the g-th part in a row; draw by the place in its own stream. */
  @ParameterizedTest
  @ValueSource(strings = {"constant", "poisson", "closed"})
  void theUnionIsTheWholeSchedule(String model) {
    for (int generators : new int[] {2, 3, 7}) {
      List<String> union = new ArrayList<>();
      for (int generator = 0; generator < generators; generator++) {
        union.addAll(arrivals(model, generator, generators));
      }
      assertThat(union)
          .hasSizeGreaterThan(1900)
          .containsExactlyInAnyOrderElementsOf(arrivals(model, 0, 1));
    }
  }

  /** The loaded ordinals and those of new ranges. Mutation: leave the remainder to nobody. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void ordinalsAreDisjointAndComplete(int generators) {
    Set<Long> all = new HashSet<>();
    long sum = 0;
    for (int generator = 0; generator < generators; generator++) {
      Ownership ownership = new Ownership(generator, generators, 100_003);
      for (long position = 0; position < ownership.ownedLoaded(); position++) {
        all.add(ownership.ordinalAt(position));
        sum++;
      }
    }
    assertThat(all).hasSize(100_003).allMatch(ordinal -> ordinal >= 0 && ordinal < 100_003);
    assertThat(sum).isEqualTo(100_003);
  }

  /**
   * One worker is asked for in the first second, four in the second, seven in the third; each call
   * takes 100 ms. Mutation: at least one worker in each generator.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void asManyWorkersAreActiveAsWereAskedFor(int generators) throws Exception {
    TreeMap<Long, Integer> bySecond = new TreeMap<>();
    for (int generator = 0; generator < generators; generator++) {
      Segment[] steps = {workers("one", 0, 1), workers("four", 1, 4), workers("seven", 2, 7)};
      Simulation simulation =
          new Simulation(
              directory.resolve("of-" + generators + "-" + generator),
              load(false, false, 7, generator, generators, steps));
      simulation
          .target("{'service-time': '100ms'}")
          .store(
              store ->
                  Stores.calling(
                      store,
                      () ->
                          bySecond.merge(simulation.clock().nanoTime() / SECOND, 1, Integer::sum)))
          .run();
    }
    assertThat(bySecond).containsExactlyEntriesOf(new TreeMap<>(Map.of(0L, 10, 1L, 40, 2L, 70)));
  }

  private static Segment workers(String name, int fromSecond, int workers) {
    long start = fromSecond * 1000L * MS;
    return new Segment(name, Segment.Kind.STEP, start, start + 1000 * MS, 0, 0, workers, workers);
  }

  /** A ramp from nobody begins with one worker of the whole run. */
  @Test
  void aRampFromNobodyBeginsWithOneWorker() throws Exception {
    long begun = 0;
    for (int generator = 0; generator < 3; generator++) {
      Segment ramp = new Segment("ramp", Segment.Kind.RAMP, 0, 1000 * MS, 0, 0, 0, 0.5);
      Measured m =
          new Simulation(
                  directory.resolve("ramp-" + generator), load(false, false, 3, generator, 3, ramp))
              .target("{'service-time': '100ms'}")
              .run();
      begun += m.count("ramp", "started");
    }
    assertThat(begun).isEqualTo(10);
  }

  /** Zipf's law, remembering which rank each arrival asked for in the end. */
  private static final class Ranks implements KeyDistribution {
    private final KeyDistribution zipfian = KeyDistribution.zipfian(EXPONENT);
    private final int[] byArrival;
    private int arrival;

    Ranks(int arrivals) {
      byArrival = new int[arrivals];
      Arrays.fill(byArrival, -1);
    }

    @Override
    public boolean skewed() {
      return zipfian.skewed();
    }

    @Override
    public long draw(Draws draws, long n) {
      byArrival[arrival] = (int) zipfian.draw(draws, n);
      return byArrival[arrival];
    }

    double shareOfHottest(int from, int to) {
      long drawn = Arrays.stream(byArrival, from, to).filter(rank -> rank >= 0).count();
      long hottest = Arrays.stream(byArrival, from, to).filter(rank -> rank == 0).count();
      return (double) hottest / drawn;
    }
  }

  /** An arrival that a worker holds. */
  private record Held(Call<StatementStore> call, double endSeconds) {}

  /** Holds nothing. */
  private static final class Empty implements StatementStore {
    @Override
    public String system() {
      return "noop";
    }

    @Override
    public void run(
        io.shardload.workload.statements.port.Plan plan,
        Object[] arguments,
        Answers answers,
        Phases phases)
        throws CallFailure {
      answers.begin();
      answers.ended(0, plan.writes() ? 1 : 0);
    }
  }

  /** An open model with a constant rate; every worker prepares its next arrival at once. */
  private static Ranks play(
      String mixJson, int documents, int arrivals, int workers, double rate, double serviceSeconds)
      throws CallFailure {
    String data = "{'documents': %d, 'document-size': '16B'}".formatted(documents);
    Model<StatementStore> model = DocumentStoreFolder.model("noop", 1, data);
    Options section = new Options("mix", JsonParser.parseString(mixJson).getAsJsonObject());
    Mix mix = Mix.read(section, DocumentStoreData.TRANSACTIONS);
    List<Transaction<StatementStore>> transactions =
        mix.names().stream().map(model::transaction).toList();
    Ranks ranks = new Ranks(arrivals);
    Keys keys = Keys.alone(States.loaded(documents), ranks, documents, 4096);
    Schedule schedule = new Schedule(Simulation.constant(workers, rate, arrivals / rate), 1);
    Plan plan = new Plan(schedule, mix, 1);
    PriorityQueue<Held> held = new PriorityQueue<>(Comparator.comparingDouble(Held::endSeconds));
    StatementStore store = new Empty();
    Draws draws = new Draws();
    int withoutKey = 0;
    double now = 0;
    for (int index = 0; index < arrivals; index++) {
      if (held.size() == workers) {
        now = end(held.remove(), store);
      }
      ranks.arrival = index;
      int transaction = plan.transaction(new Arrival(index, 0, 0, index), draws);
      Call<StatementStore> call = transactions.get(transaction).prepare(draws, keys);
      withoutKey += call instanceof NoKey ? 1 : 0;
      held.add(new Held(call, Math.max(index / rate, now) + serviceSeconds));
    }
    while (!held.isEmpty()) {
      end(held.remove(), store);
    }
    assertThat(withoutKey).isZero();
    return ranks;
  }

  private static double end(Held held, StatementStore store) throws CallFailure {
    held.call().run(store, Phases.NONE);
    held.call().finish(null, false);
    return held.endSeconds();
  }

  // A skewed distribution stays as skewed as it is, whatever is deleted and inserted, and however
  // fast the target is. The transactions are prepared as in a run and answered by a store that
  // holds nothing, in virtual time.

  /** Mutation: leave the slot of a deleted document to the next rank. */
  @Test
  void hottestSlotKeepsItsShareOverAMillionTransactions() throws Exception {
    int arrivals = 1_000_000;
    Ranks ranks = play(MIX_OF_THE_STUDY, 100_000, arrivals, 16, 10_000, 0.0005);
    double atStart = ranks.shareOfHottest(0, 100_000);
    double atEnd = ranks.shareOfHottest(arrivals - 100_000, arrivals);
    // 1 / H(100 000, 0.99)
    assertThat(atStart).isBetween(0.070, 0.082);
    assertThat(atEnd / atStart).isBetween(0.9, 1.1);
  }

  /** Mutation: draw another rank for a write whose document another write holds. */
  @Test
  void targetsOfDifferentSpeedGetTheSameRanks() throws Exception {
    for (String mix :
        List.of(MIX_OF_THE_STUDY, "{\"update\": 60, \"delete\": 1, \"insert\": 39}")) {
      Ranks fast = play(mix, 1_000, 50_000, 1, 1_000, 0.0001);
      Ranks slow = play(mix, 1_000, 50_000, 40, 1_000, 0.08);
      Ranks waiting = play(mix, 1_000, 50_000, 50, 1_000, 0.0001);
      assertThat(slow.byArrival).isEqualTo(fast.byArrival);
      assertThat(waiting.byArrival).isEqualTo(fast.byArrival);
    }
  }
}
