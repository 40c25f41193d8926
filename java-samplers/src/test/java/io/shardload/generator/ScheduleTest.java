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
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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
   * sigma, and the largest distance of the gaps' distribution from 1 - exp(-1000 t) is below the
   * one that the Kolmogorov-Smirnov test allows 1 of 1000 streams. Mutation: uniform gaps; blocks
   * of 16 arrivals rather than of 16 on average.
   */
  @Test
  void poissonGapsAreExponential() {
    List<Arrival> arrivals = poisson(5, 1000, 100);
    assertThat(arrivals.size()).isBetween(98_700, 101_300);
    double[] gaps = new double[arrivals.size()];
    long last = 0;
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = arrivals.get(i).dueNanos() - last;
      last = arrivals.get(i).dueNanos();
    }
    Arrays.sort(gaps);
    double distance = 0;
    for (int i = 0; i < gaps.length; i++) {
      double expected = 1 - Math.exp(-gaps[i] / MS);
      distance = Math.max(distance, expected - (double) i / gaps.length);
      distance = Math.max(distance, (double) (i + 1) / gaps.length - expected);
    }
    assertThat(distance).isLessThan(1.95 / Math.sqrt(gaps.length));
  }

  /**
   * The counts of intervals, shorter and longer than a block of the process, are Poisson: their
   * variance is their mean, within 4 sigma, and neighbours are not correlated. Mutation: blocks of
   * 16 arrivals rather than of 16 on average; the same draw for every second block.
   */
  @Test
  void poissonCountsVaryAsTheyShould() {
    List<Arrival> arrivals = poisson(6, 1000, 400);
    for (long length : new long[] {2 * MS, 16 * MS, 50 * MS, 200 * MS}) {
      int intervals = (int) (400_000 * MS / length);
      double[] counts = new double[intervals];
      arrivals.forEach(arrival -> counts[(int) (arrival.dueNanos() / length)]++);
      double mean = (double) arrivals.size() / intervals;
      double variance = 0;
      double covariance = 0;
      for (int i = 0; i < intervals; i++) {
        variance += (counts[i] - mean) * (counts[i] - mean) / intervals;
        covariance += (counts[i] - mean) * (counts[(i + 1) % intervals] - mean) / intervals;
      }
      double sigma = Math.sqrt((2 + 1 / mean) / intervals);
      assertThat(variance / mean).isBetween(1 - 4 * sigma, 1 + 4 * sigma);
      double noise = 4 / Math.sqrt(intervals);
      assertThat(covariance / variance).isBetween(-noise, noise);
    }
  }

  private static List<Arrival> poisson(long seed, double rate, double seconds) {
    LoadConfig load =
        new LoadConfig(true, true, 1, 0, 1, List.of(hold(rate, seconds)), 0, Duration.ZERO, false);
    Arrivals arrivals = new Schedule(load, seed).arrivals();
    List<Arrival> all = new ArrayList<>();
    Arrival arrival;
    while ((arrival = arrivals.next()) != null) {
      all.add(arrival);
    }
    return all;
  }

  /**
   * Eight threads share a stream: each arrival is given once, and none is lost at the end of a
   * chunk. Mutation: replace a chunk while somebody takes its last arrival.
   */
  @Test
  void threadsShareAStream() throws Exception {
    LoadConfig load =
        new LoadConfig(true, true, 8, 1, 3, List.of(hold(1000, 300)), 0, Duration.ZERO, false);
    Arrivals shared = new Schedule(load, 5).arrivals();
    Set<Long> indexes = ConcurrentHashMap.newKeySet();
    AtomicLong given = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                Arrival arrival;
                while ((arrival = shared.next()) != null) {
                  indexes.add(arrival.index());
                  given.incrementAndGet();
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Arrivals alone = new Schedule(load, 5).arrivals();
    Set<Long> expected = new HashSet<>();
    Arrival arrival;
    while ((arrival = alone.next()) != null) {
      expected.add(arrival.index());
    }
    assertThat(indexes).isEqualTo(expected);
    assertThat(given.get()).isEqualTo(expected.size()).isGreaterThan(98_000);
  }
}
