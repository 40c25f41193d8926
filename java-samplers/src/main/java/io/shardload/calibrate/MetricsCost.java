package io.shardload.calibrate;

import com.google.gson.JsonObject;
import io.shardload.statistics.Interval;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The cost of serving metrics: 5000/s of all finds of the mix on the target, alternating between no
 * metrics and metrics that are scraped every second. The mix has many transactions because the page
 * grows with them.
 *
 * <p>The figure is the CPU time that the threads themselves spent on the metrics, over all other
 * CPU time of the process. The detail has the ratio of whole processes with and without metrics: it
 * includes everything, also JIT compilers and caches, and varies by more than the goal.
 */
final class MetricsCost {
  private static final String WHAT = "metrics: their CPU per operation, scraped every second";
  private static final Goal GOAL = Goal.atMost(1, "%");
  private static final double RATE = 5000;
  private static final double LEAST_SHARE = 0.98;
  private static final int WORKERS = 16;
  private static final int SECONDS = 4;
  private static final int WARM_UP_ROUNDS = 2;

  private MetricsCost() {}

  static List<Figure> measure(TestBed testBed) throws IOException, InterruptedException {
    JsonObject without = TestBed.open(finds(testBed), WORKERS, RATE, SECONDS);
    int port = freePort();
    JsonObject with = without.deepCopy();
    JsonObject metrics = new JsonObject();
    metrics.addProperty("port", port);
    with.add("metrics", metrics);
    List<Measured> plain = new ArrayList<>();
    List<Measured> scraped = new ArrayList<>();
    List<Double> shares = new ArrayList<>();
    try (Bench one = Bench.start(testBed);
        Bench other = Bench.start(testBed);
        Scraper scraper = Scraper.start(port)) {
      long warmUpPages = 0;
      for (int i = -WARM_UP_ROUNDS; i < testBed.rounds(); i++) {
        warmUpPages = i == 0 ? scraper.pages() : warmUpPages;
        testBed.progress().step("metrics", Math.max(0, i), testBed.rounds(), "rounds");
        // In alternating order, as in all comparisons.
        boolean first = i % 2 == 0;
        Measured before = first ? round(testBed, one, without) : null;
        scraped.add(round(testBed, other, with));
        shares.add(scraper.percentOfCpu());
        plain.add(first ? before : round(testBed, one, without));
      }
      testBed.progress().step("metrics", testBed.rounds(), testBed.rounds(), "rounds");
      return List.of(
          figure(
              plain.subList(WARM_UP_ROUNDS, plain.size()),
              scraped.subList(WARM_UP_ROUNDS, scraped.size()),
              shares.subList(WARM_UP_ROUNDS, shares.size()),
              scraper,
              scraper.pages() - warmUpPages));
    } finally {
      testBed.clean();
    }
  }

  /** The same share for each find in whole percent; the first find gets the remainder. */
  private static JsonObject finds(TestBed testBed) {
    List<String> names =
        testBed.base().mix().names().stream()
            .filter(name -> !testBed.base().model().transaction(name).writes())
            .toList();
    JsonObject config = testBed.onTarget();
    if (!names.isEmpty()) {
      int share = 100 / names.size();
      JsonObject mix = new JsonObject();
      names.forEach(name -> mix.addProperty(name, share));
      mix.addProperty(names.get(0), 100 - share * (names.size() - 1));
      config.add("mix", mix);
    }
    config.remove("metrics");
    return config;
  }

  private static Measured round(TestBed testBed, Bench bench, JsonObject config)
      throws IOException, InterruptedException {
    testBed.freshBundle(config);
    return bench.round("harness", config, new Span(SECONDS));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Figure figure(
      List<Measured> plain,
      List<Measured> scraped,
      List<Double> shares,
      Scraper scraper,
      long pages) {
    double[] ratios = new double[plain.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = scraped.get(i).cpuMicros() / plain.get(i).cpuMicros();
    }
    Interval ratio = Interval.ofRatios(ratios);
    String detail =
        String.format(
            Locale.ROOT,
            "client CPU us per operation: %.2f without, %.2f with metrics, ratio %.3f [%.3f, %.3f], at"
                + " %.0f/s; %d scrapes of %d series, %d KB",
            mean(plain, Measured::cpuMicros),
            mean(scraped, Measured::cpuMicros),
            ratio.mean(),
            ratio.low(),
            ratio.high(),
            mean(scraped, Measured::perSecond),
            pages,
            scraper.series(),
            scraper.bytes() >> 10);
    double[] percents = shares.stream().mapToDouble(share -> share).toArray();
    Figure figure = Figure.ofValues(WHAT, GOAL, percents, detail);
    if (mean(scraped, Measured::perSecond) < LEAST_SHARE * RATE) {
      return figure.invalid("the target does not sustain %.0f/s".formatted(RATE));
    }
    if (shares.stream().anyMatch(share -> !(share > 0))) {
      return figure.invalid("the generator did not report the CPU time for its metrics");
    }
    // A round of 4 s has at least three scrapes, whenever it starts.
    return pages < (SECONDS - 1L) * scraped.size()
        ? figure.invalid("too few scrapes were answered")
        : figure;
  }

  private static double mean(List<Measured> rounds, ToDoubleFunction<Measured> value) {
    return rounds.stream().mapToDouble(value).average().orElse(Double.NaN);
  }
}
