package io.shardload.generator;

import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.Arrivals;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Segment;
import io.shardload.keys.Ownership;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Another number of generators changes who does the load, not what is done. */
class DivisionTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1000 * MS;
  private static final int CLOSED_ARRIVALS = 2100;

  @TempDir Path directory;

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
  @CsvSource({
    "constant, 2",
    "constant, 3",
    "constant, 7",
    "poisson, 2",
    "poisson, 3",
    "poisson, 7",
    "closed, 2",
    "closed, 3",
    "closed, 7"
  })
  void theUnionIsTheWholeSchedule(String model, int generators) {
    List<String> union = new ArrayList<>();
    for (int generator = 0; generator < generators; generator++) {
      union.addAll(arrivals(model, generator, generators));
    }
    assertThat(union)
        .hasSizeGreaterThan(1900)
        .containsExactlyInAnyOrderElementsOf(arrivals(model, 0, 1));
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
}
