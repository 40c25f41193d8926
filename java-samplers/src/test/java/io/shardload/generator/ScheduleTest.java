package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.Arrivals;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stream of arrivals is a pure function of seed and profile, however it is divided. */
class ScheduleTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;

  /**
   * Two generators together issue what one alone would: the same arrivals, transactions and due
   * times, each once; their parts add up to the whole. Mutation: give generator g the first half.
   */
  @Test
  void generatorsShareOneSchedule() throws Exception {
    for (boolean poisson : new boolean[] {false, true}) {
      List<String> whole = arrivals(poisson, 0, 1);
      List<String> parts = new ArrayList<>(arrivals(poisson, 0, 3));
      parts.addAll(arrivals(poisson, 1, 3));
      parts.addAll(arrivals(poisson, 2, 3));
      assertThat(whole).hasSizeGreaterThan(900);
      assertThat(parts).containsExactlyInAnyOrderElementsOf(whole);
    }
  }

  private List<String> arrivals(boolean poisson, int generator, int generators) {
    LoadConfig load =
        new LoadConfig(
            true,
            poisson,
            1,
            generator,
            generators,
            List.of(hold(100, 10)),
            0,
            Duration.ZERO,
            false);
    Plan plan =
        new Simulation(directory, load).mix("{'insert': 40, 'find-by-id-and-filter1': 60}").plan();
    Arrivals arrivals = plan.schedule().arrivals();
    List<String> result = new ArrayList<>();
    Draws draws = new Draws();
    Arrival arrival;
    while ((arrival = arrivals.next()) != null) {
      int transaction = plan.transaction(arrival, draws);
      result.add(
          arrival.index() + " " + arrival.dueNanos() + " " + transaction + " " + draws.nextLong());
    }
    return result;
  }

  /**
   * The same seed issues the same stream whatever the number of workers, another seed another one.
   * Mutation: seed the draws with the worker's index.
   */
  @Test
  void sameSeedSameStreamWhateverTheWorkers() throws Exception {
    String two = stream(2, 7);
    assertThat(stream(9, 7)).isEqualTo(two);
    assertThat(stream(2, 8)).isNotEqualTo(two);
    String hash = new Simulation(directory, constant(2, 100, 10)).seed(7).plan().hash();
    assertThat(new Simulation(directory, constant(9, 100, 10)).seed(7).plan().hash())
        .isEqualTo(hash);
    assertThat(new Simulation(directory, constant(2, 100, 10)).seed(8).plan().hash())
        .isNotEqualTo(hash);
  }

  /** What reached the store, in order. */
  private String stream(int workers, long seed) throws Exception {
    StringBuilder calls = new StringBuilder();
    Path own = directory.resolve(workers + "-" + seed);
    new Simulation(own, constant(workers, 100, 10))
        .seed(seed)
        .mix("{'find-by-id-and-filter5': 40, 'find-by-id-and-filter1': 60}")
        .target("{'service-time': '1ms'}")
        .store(store -> Stores.watching(store, calls))
        .run();
    return calls.toString();
  }

  /**
   * A Poisson stream has exponential gaps: at 1000/s over 100 s the count is 100 000 within 4
   * sigma, and a gap is longer than t with probability exp(-1000 t). Mutation: uniform gaps.
   */
  @Test
  void poissonGapsAreExponential() {
    LoadConfig load =
        new LoadConfig(true, true, 1, 0, 1, List.of(hold(1000, 100)), 0, Duration.ZERO, false);
    Arrivals arrivals = new Schedule(load, 5).arrivals();
    List<Long> gaps = new ArrayList<>();
    long last = 0;
    Arrival arrival;
    while ((arrival = arrivals.next()) != null) {
      gaps.add(arrival.dueNanos() - last);
      last = arrival.dueNanos();
    }
    assertThat(gaps.size()).isBetween(98_700, 101_300);
    for (double millis : new double[] {0.5, 1, 2, 4}) {
      double share = gaps.stream().filter(g -> g > millis * MS).count() / (double) gaps.size();
      assertThat(share).isBetween(Math.exp(-millis) - 0.006, Math.exp(-millis) + 0.006);
    }
  }
}
