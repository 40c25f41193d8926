package io.shardload.generator;

import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.Options;
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
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stream of arrivals is a pure function of seed and profile, however it is divided. */
class ScheduleTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;

  private static final String FIND = "hold/find-by-id-and-filter1/";

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

  private static LoadConfig closed(int workers, double seconds, String think) {
    String segment =
        String.format(
            Locale.ROOT,
            "{'name':'hold','kind':'hold','seconds':%s,'from_workers':%d,'to_workers':%d}",
            seconds,
            workers,
            workers);
    JsonObject load =
        BundleFixture.parse(
            "{'model':'closed','workers':%d,'segments':[%s],'think_time':%s}"
                .formatted(workers, segment, think));
    return LoadConfig.read(new Options("load", load));
  }

  private static String think(String distribution, double meanSeconds) {
    return "{'distribution':'%s','mean_seconds':%s}".formatted(distribution, meanSeconds);
  }

  private Measured run(LoadConfig load) throws Exception {
    return new Simulation(directory, load).target("{'service-time': '5ms'}").run();
  }

  // Workers of the closed model that wait between their calls, against Little's law.

  /**
   * A call each 205 ms for every worker: in 41 s exactly 200, wherever within its first think time
   * a worker begins. The wait is in no latency. Mutation: count the think time from the beginning
   * of a call; begin a call before the wait.
   */
  @Test
  void constantThinkTimeGivesTheRateOfLittlesLaw() throws Exception {
    Measured m = run(closed(10, 41, think("constant", 0.2)));
    assertThat(m.count("hold", "started")).isEqualTo(2000);
    assertThat(m.closed("hold")).isTrue();
    assertThat(m.exactMax(FIND + "service")).isEqualTo(5 * MS);
    assertThat(m.histogram(FIND + "service").getTotalCount()).isEqualTo(2000);
    assertThat(m.count("hold", "dropped")).isZero();
  }

  /**
   * N = X (Z + R): 50 workers that think for 200 ms on average and wait for 5 ms make 50 / 0.205
   * calls a second. In 100 s the number has a standard deviation of sqrt(50 T var(Z) / (Z + R)^3),
   * by renewal theory; within 4 of them. Mutation: an exponential of half the mean; a uniform one
   * up to the mean.
   */
  @Test
  void drawnThinkTimesGiveTheRateOfLittlesLaw() throws Exception {
    double expected = 50 * 100 / 0.205;
    for (String distribution : new String[] {"uniform", "exponential"}) {
      double variance = distribution.equals("uniform") ? 0.4 * 0.4 / 12 : 0.2 * 0.2;
      double sigma = Math.sqrt(50 * 100 * variance / Math.pow(0.205, 3));
      Path own = directory.resolve(distribution);
      LoadConfig load = closed(50, 100, think(distribution, 0.2));
      Measured m = new Simulation(own, load).target("{'service-time': '5ms'}").run();
      assertThat((double) m.count("hold", "started")).isCloseTo(expected, offset(4 * sigma));
      assertThat(m.exactMax(FIND + "service")).isEqualTo(5 * MS);
    }
  }

  /**
   * Moments of 100 000 waits, within 4 standard errors, and the largest of a uniform one. Mutation:
   * draw from the stream that chooses the transaction.
   */
  @Test
  void waitsHaveTheirDistribution() {
    for (String distribution : new String[] {"constant", "uniform", "exponential"}) {
      Plan plan = new Simulation(directory, closed(2, 1, think(distribution, 0.01))).plan();
      double[] waits = waits(plan, 100_000);
      double mean = 0;
      double square = 0;
      double most = 0;
      for (double wait : waits) {
        mean += wait / waits.length;
        square += Math.pow(wait - 10, 2) / waits.length;
        most = Math.max(most, wait);
      }
      double variance =
          distribution.equals("constant") ? 0 : distribution.equals("uniform") ? 400 / 12.0 : 100;
      assertThat(mean).isCloseTo(10, offset(4 * Math.sqrt(variance / waits.length) + 1e-9));
      // The fourth moment of an exponential is 9 times its squared variance.
      double error = 4 * variance * Math.sqrt(8.0 / waits.length);
      assertThat(square).isCloseTo(variance, offset(error + 1e-9));
      if (distribution.equals("uniform")) {
        assertThat(most).isBetween(19.99, 20.0);
      }
    }
  }

  /** Milliseconds after the first arrivals. */
  private static double[] waits(Plan plan, int number) {
    Draws draws = new Draws();
    double[] waits = new double[number];
    for (int i = 0; i < number; i++) {
      waits[i] = plan.thinkNanos(new Arrival(i, -1, -1, i), draws) / 1e6;
    }
    return waits;
  }

  /** The same seed has the same waits, another one others; so has the hash of the plan. */
  @Test
  void waitsBelongToTheSeed() {
    Simulation exponential = new Simulation(directory, closed(2, 1, think("exponential", 0.01)));
    Plan plan = exponential.plan();
    double[] waits = waits(plan, 100);
    assertThat(waits(exponential.plan(), 100)).isEqualTo(waits);
    assertThat(waits(exponential.seed(2).plan(), 100)).isNotEqualTo(waits);
    Plan uniform = new Simulation(directory, closed(2, 1, think("uniform", 0.01))).plan();
    Plan none = new Simulation(directory, closed(2, 1, think("uniform", 0))).plan();
    assertThat(plan.hash()).isNotEqualTo(uniform.hash());
    assertThat(uniform.hash()).isNotEqualTo(none.hash());
    assertThat(waits(none, 3)).containsOnly(0);
  }

  /**
   * 1000 workers begin evenly within the mean think time, and not together. Mutation: the same draw
   * for all.
   */
  @Test
  void workersDoNotBeginTogether() {
    Plan plan = new Simulation(directory, closed(1000, 1, think("constant", 0.2))).plan();
    int[] tenths = new int[10];
    for (int worker = 0; worker < 1000; worker++) {
      tenths[(int) (plan.firstThinkNanos(worker, new Draws()) / (20 * MS))]++;
    }
    for (int tenth : tenths) {
      // Binomial: 100 on average, with a standard deviation of 9.5.
      assertThat(tenth).isBetween(62, 138);
    }
  }

  /**
   * A worker that would think for an hour ends with the run, and after a stop with its slice of 100
   * ms. Mutation: sleep until the think time is over.
   */
  @Test
  void aThinkingWorkerEndsWithTheRun() throws Exception {
    LoadConfig hour = closed(10, 3, think("constant", 3600));
    Simulation whole = new Simulation(directory.resolve("whole"), hour);
    whole.run();
    assertThat(whole.clock().nanoTime()).isEqualTo(3000 * MS);
    Simulation stopped = new Simulation(directory.resolve("stopped"), hour);
    stopped.stoppedAt(1950 * MS).run();
    assertThat(stopped.clock().nanoTime()).isBetween(1950 * MS, 2050 * MS);
  }

  @Test
  void theOpenModelHasNone() {
    String load =
        "{'model':'open','segments':[{'name':'hold','seconds':1}],"
            + "'think_time':{'mean_seconds':1}}";
    Options options = new Options("load", BundleFixture.parse(load));
    assertThat(refusalOf(() -> LoadConfig.read(options)))
        .hasMessageContaining("is supported only in the closed model (without throughput");
    assertThat(closed(2, 1, "null").thinkTime()).isEqualTo(LoadConfig.ThinkTime.NONE);
  }
}
