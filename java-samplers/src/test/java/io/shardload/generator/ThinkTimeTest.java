package io.shardload.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.generator.schedule.Arrival;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.ThinkTime;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers of the closed model that wait between their calls, against Little's law. */
class ThinkTimeTest {
  private static final long MS = 1_000_000;
  private static final String FIND = "hold/find-by-id-and-filter1/";

  @TempDir Path directory;

  private static LoadConfig closed(int workers, double seconds, String think) {
    String segment =
        String.format(
            Locale.ROOT,
            "{'name':'hold','kind':'hold','seconds':%s,'from_workers':%d,'to_workers':%d}",
            seconds,
            workers,
            workers);
    JsonObject load =
        JsonParser.parseString(
                "{'model':'closed','workers':%d,'segments':[%s],'think_time':%s}"
                    .formatted(workers, segment, think))
            .getAsJsonObject();
    return LoadConfig.read(new Options("load", load));
  }

  private static String think(String distribution, double meanSeconds) {
    return "{'distribution':'%s','mean_seconds':%s}".formatted(distribution, meanSeconds);
  }

  private Measured run(LoadConfig load) throws Exception {
    return new Simulation(directory, load).target("{'service-time': '5ms'}").run();
  }

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
      waits[i] = plan.thinkNanos(new Arrival(i, -1, -1), draws) / 1e6;
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
    Options options = new Options("load", JsonParser.parseString(load).getAsJsonObject());
    assertThatThrownBy(() -> LoadConfig.read(options))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("is supported only in the closed model (without throughput");
    assertThat(closed(2, 1, "null").thinkTime()).isEqualTo(ThinkTime.NONE);
  }
}
