package io.shardload.exposition;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import io.shardload.metrics.Recording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorMetricsTest {
  private static final Map<String, String> COMMON = Map.of("run_id", "r", "generator", "0");
  private static final String DURATION = "shardload_duration_seconds";

  private final long[] due = {0, 0};
  private final GeneratorMetrics metrics =
      new GeneratorMetrics(COMMON, List.of("find", "insert"), false, () -> due);

  private String page() throws IOException {
    return page(metrics);
  }

  private static String page(GeneratorMetrics of) throws IOException {
    return text(of.page());
  }

  private static String text(SeriesPage page) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    page.render(out);
    return Scraped.plain(out.toString(StandardCharsets.UTF_8));
  }

  private Scraped scraped() throws IOException {
    return Scraped.parse(page());
  }

  private static Recording.Interval interval(String tag, long... nanos) {
    SlotCounts counts = new SlotCounts();
    Arrays.stream(nanos).sorted().forEach(each -> counts.add(Slots.of(each), 1));
    return new Recording.Interval(tag, counts);
  }

  /** Mutation: leave out what has not happened. */
  @Test
  void everythingIsThereWithZeroFromTheBeginning() throws IOException {
    Scraped scraped = scraped();
    scraped
        .values()
        .forEach(
            (series, value) -> {
              if (!series.matches("shardload_(generator_cores|bucket_error_ratio)\\{.*")) {
                assertThat(value).as(series).isZero();
              }
            });
    assertThat(scraped.values().keySet())
        .contains(
            "shardload_arrivals_due_total{generator=\"0\",run_id=\"r\",transaction=\"insert\"}",
            "shardload_errors_total{generator=\"0\",kind=\"none\",run_id=\"r\",transaction=\"find\"}",
            "shardload_duration_seconds_bucket{generator=\"0\",le=\"0.001\",outcome=\"answered\","
                + "phase=\"response\",run_id=\"r\",transaction=\"find\"}");
    assertThat(scraped.sum("shardload_bucket_error_ratio")).isEqualTo(BucketLayout.of(2).error());
  }

  /** Seconds of two segments. Mutations: replace instead of add; forget a segment. */
  @Test
  void secondsAreAdded() throws IOException {
    due[0] = 3;
    metrics.second(
        Ledgers.line(
            """
            {"cpu_ns": 0, "workers": 4, "backlog": 7, "oldest_unfinished_ns": 1500000000,
             "segments": {"warm-up": {"find": {"started": 2, "done": 1, "failed": 1, "rows": 5,
                                               "errors": {"timeout": 1}}},
                          "hold": {"find": {"started": 1, "missing": 1, "stale_reads": 1}}}}
            """),
        List.of(
            interval("warm-up/find/service", 1_000_000, 4_000_000),
            interval("hold/generator/hiccup", 2_000_000),
            interval("hold/find/dropped", 3_000_000)));
    due[0] = 5;
    metrics.second(
        Ledgers.line("{\"segments\": {\"hold\": {\"find\": {\"started\": 1, \"dropped\": 1}}}}"),
        List.of(interval("hold/find/service", 100_000_000_000L % Slots.HIGHEST_NANOS)));
    Scraped scraped = scraped();
    String find = "transaction=\"find\"";
    assertThat(scraped.sum("shardload_arrivals_due_total", find)).isEqualTo(5);
    assertThat(scraped.sum("shardload_arrivals_started_total", find)).isEqualTo(4);
    assertThat(scraped.sum("shardload_arrivals_dropped_total", find)).isEqualTo(1);
    assertThat(scraped.sum("shardload_transactions_total", find)).isEqualTo(3);
    assertThat(scraped.sum("shardload_transactions_total", "outcome=\"missing\"")).isEqualTo(1);
    assertThat(scraped.sum("shardload_errors_total", "kind=\"timeout\"")).isEqualTo(1);
    assertThat(scraped.sum("shardload_stale_reads_total", find)).isEqualTo(1);
    assertThat(scraped.sum("shardload_rows_total", find)).isEqualTo(5);
    assertThat(scraped.sum(DURATION + "_count", find, "phase=\"service\"")).isEqualTo(3);
    assertThat(scraped.sum(DURATION + "_bucket", find, "phase=\"service\"", "le=\"0.0018\""))
        .isEqualTo(1);
    assertThat(scraped.sum(DURATION + "_bucket", find, "phase=\"service\"", "le=\"20\""))
        .isEqualTo(2);
    assertThat(scraped.sum("shardload_phase_seconds_sum", "phase=\"wait\"", "outcome=\"dropped\""))
        .isBetween(0.002997, 0.003003);
    assertThat(scraped.sum("shardload_generator_hiccup_max_seconds")).isBetween(0.0019, 0.0021);
    assertThat(scraped.sum("shardload_generator_backlog_arrivals")).isZero();
  }

  /** The peak is shown for 15 seconds. Mutation: of the last second alone. */
  @Test
  void noScrapeMissesAPeak() throws IOException {
    metrics.second(Ledgers.line("{}"), List.of(interval("hold/generator/late", 5_000_000)));
    for (int second = 1; second < 15; second++) {
      metrics.second(Ledgers.line("{}"), List.of());
    }
    assertThat(scraped().sum("shardload_generator_late_max_seconds")).isGreaterThan(0.0049);
    metrics.second(Ledgers.line("{}"), List.of());
    assertThat(scraped().sum("shardload_generator_late_max_seconds")).isZero();
    assertThat(scraped().sum("shardload_generator_late_seconds_count")).isEqualTo(1);
  }

  @Test
  void kindsOfErrorsAreLimited() throws IOException {
    GeneratorMetrics many = new GeneratorMetrics(COMMON, List.of("t0", "t1"), false, null);
    many.second(Ledgers.manyErrors(2), List.of());
    many.finish();
    Scraped scraped = Scraped.parse(page(many));
    assertThat(scraped.sum("shardload_errors_total")).isEqualTo(2 * 30 * 2);
    assertThat(scraped.sum("shardload_errors_total", "kind=\"other\"")).isEqualTo(2 * 10 * 2);
  }

  /**
   * A rate shows nothing of a series that begins with its first count. Mutations: count at once;
   * replace what is pending.
   */
  @Test
  void aNewKindOfErrorsBeginsWithZero() throws IOException {
    String timeout =
        """
        {"segments": {"warm-up": {"find": {"failed": 2, "errors": {"timeout": 2}}},
                      "hold": {"find": {"failed": 1, "errors": {"timeout": 1}}}}}
        """;
    metrics.second(Ledgers.line(timeout), List.of());
    assertThat(scraped().sum("shardload_errors_total", "kind=\"timeout\"")).isZero();
    metrics.second(Ledgers.line(timeout), List.of());
    assertThat(scraped().sum("shardload_errors_total", "kind=\"timeout\"")).isEqualTo(6);
    metrics.finish();
    assertThat(scraped().sum("shardload_errors_total", "kind=\"timeout\"")).isEqualTo(6);
  }

  /** Adding a second and answering a scrape both count. Mutations: leave out either. */
  @Test
  @Timeout(60)
  void theCostOfMetricsIsCounted() throws Exception {
    metrics.second(Ledgers.line("{}"), List.of(interval("hold/find/service", 1_000_000)));
    long added = metrics.ownCpu().nanos();
    assertThat(added).isPositive();
    try (MetricsEndpoint endpoint =
        MetricsEndpoint.open(
            "127.0.0.1", 0, metrics.page(), e -> {}, metrics.ownCpu(), System::nanoTime)) {
      Scraped.of(endpoint.address());
      // The answer arrives a moment before its cost is added.
      while (metrics.ownCpu().nanos() == added) {
        Thread.onSpinWait();
      }
    }
    metrics.second(Ledgers.line("{}"), List.of());
    assertThat(scraped().sum("shardload_generator_metrics_cpu_seconds_total"))
        .isGreaterThan(added / 1e9);
  }

  /** In the closed model an arrival is due when it is begun. */
  @Test
  void dueInTheClosedModel() throws IOException {
    GeneratorMetrics closed = new GeneratorMetrics(COMMON, List.of("find"), false, null);
    closed.second(
        Ledgers.line("{\"segments\": {\"hold\": {\"find\": {\"started\": 4, \"dropped\": 1}}}}"),
        List.of());
    assertThat(Scraped.parse(page(closed)).sum("shardload_arrivals_due_total")).isEqualTo(5);
  }

  /** A boundary lies within a slot: it counts by its middle, so half a slot at most is wrong. */
  @Test
  void aBucketHoldsWhatIsNotLongerThanItsBoundary() throws IOException {
    long millisecond = 1_000_000;
    metrics.second(
        Ledgers.line("{}"),
        List.of(
            interval(
                "hold/find/response",
                Math.round(millisecond * 0.9994),
                Math.round(millisecond * 1.0006),
                Slots.HIGHEST_NANOS)));
    String response = "phase=\"response\"";
    assertThat(scraped().sum(DURATION + "_bucket", response, "le=\"0.001\"")).isEqualTo(1);
    assertThat(scraped().sum(DURATION + "_bucket", response, "le=\"0.00112\"")).isEqualTo(2);
    assertThat(scraped().sum(DURATION + "_bucket", response, "le=\"50\"")).isEqualTo(2);
    assertThat(scraped().sum(DURATION + "_bucket", response, "le=\"+Inf\"")).isEqualTo(3);
  }

  @Test
  void theTextFormat() throws IOException {
    SeriesPage page = new SeriesPage(Map.of("run_id", "a\"b\\c\nd"));
    page.family("a_total", "counter", "A.").series("x", "1");
    page.family("b_seconds", "histogram", "B.").histogram(List.of("0.5", "+Inf"), "x", "1");
    page.family("c_seconds", "summary", "C.").summary("x", "1");
    page.publish(new double[] {7, 1, 3, 3, 2.25, 4, 0.125});
    assertThat(text(page))
        .isEqualTo(
            """
            # HELP a_total A.
            # TYPE a_total counter
            a_total{run_id="a\\"b\\\\c\\nd",x="1"} 7
            # HELP b_seconds B.
            # TYPE b_seconds histogram
            b_seconds_bucket{le="0.5",run_id="a\\"b\\\\c\\nd",x="1"} 1
            b_seconds_bucket{le="+Inf",run_id="a\\"b\\\\c\\nd",x="1"} 3
            b_seconds_count{run_id="a\\"b\\\\c\\nd",x="1"} 3
            b_seconds_sum{run_id="a\\"b\\\\c\\nd",x="1"} 2.25
            # HELP c_seconds C.
            # TYPE c_seconds summary
            c_seconds_count{run_id="a\\"b\\\\c\\nd",x="1"} 4
            c_seconds_sum{run_id="a\\"b\\\\c\\nd",x="1"} 0.125
            """);
  }

  /** Dashboards are checked against this page; {@code -Dgolden} writes it anew. */
  @Test
  void theGoldenPage() throws IOException {
    long[] ofFind = {4};
    GeneratorMetrics one =
        new GeneratorMetrics(
            Map.of(
                "run_id", "20261122-120000-citus-steady",
                "target", "citus",
                "workload", "document-store",
                "profile", "steady",
                "generator", "0"),
            List.of("find-by-id-and-filter1"),
            true,
            () -> ofFind);
    one.second(
        Ledgers.line(
            """
            {"workers": 8, "backlog": 1, "oldest_unfinished_ns": 2500000, "clock_offset_ms": 1.5,
             "segments": {"hold": {"find-by-id-and-filter1":
               {"started": 3, "done": 1, "missing": 1, "failed": 1, "rows": 1, "retries": 1,
                "stale_reads": 1, "errors": {"timeout": 1}}}}}
            """),
        List.of(
            interval("hold/generator/hiccup", 64_000, 1_000_000),
            interval("hold/generator/late", 1_200_000),
            interval("hold/find-by-id-and-filter1/response", 250_000, 900_000),
            interval("hold/find-by-id-and-filter1/service", 200_000, 800_000),
            interval("hold/find-by-id-and-filter1/wait", 50_000, 60_000, 100_000),
            interval("hold/find-by-id-and-filter1/failed", 5_000_000),
            interval("hold/find-by-id-and-filter1/connect", 1_000, 2_000),
            interval("hold/find-by-id-and-filter1/search", 150_000, 700_000),
            interval("hold/find-by-id-and-filter1/fetch", 10_000, 20_000)));
    one.finish();
    // What this process really used differs each time.
    String page =
        page(one)
            .replaceAll(
                "(?m)^(shardload_generator_(cpu|gc|metrics_cpu)_seconds_total\\{.*\\}) .*$",
                "$1 0.5")
            .replaceAll("(?m)^(shardload_generator_cores\\{.*\\}) .*$", "$1 2");
    Path golden = Path.of("src/test/resources/monitoring/generator.prom");
    if (System.getProperty("golden") != null) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, page);
    }
    assertThat(golden).hasContent(page);
  }

  @Test
  void theFinestThatFitsIsTaken() {
    for (int transactions = 1; transactions <= 60; transactions++) {
      BucketLayout layout = BucketLayout.of(transactions);
      assertThat(layout.series(transactions)).isLessThanOrEqualTo(BucketLayout.MOST_SERIES);
      int index = BucketLayout.ALL.indexOf(layout);
      if (index > 0) {
        assertThat(BucketLayout.ALL.get(index - 1).series(transactions))
            .isGreaterThan(BucketLayout.MOST_SERIES);
      }
    }
    assertThat(refusalOf(() -> BucketLayout.of(200)))
        .hasMessage("a mix of 200 transactions needs more than 3000 metric series");
  }

  /** Mutation: count no errors by kind. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10, 40, 60})
  void aPageHasNoMoreSeriesThanItsLayoutCounts(int transactions) {
    GeneratorMetrics metrics =
        new GeneratorMetrics(
            Map.of("run_id", "r"),
            IntStream.range(0, transactions).mapToObj(t -> "t" + t).toList(),
            true,
            null);
    metrics.second(Ledgers.manyErrors(transactions), List.of());
    assertThat(metrics.page().size())
        .isLessThanOrEqualTo(BucketLayout.of(transactions).series(transactions))
        .isLessThanOrEqualTo(3000);
  }

  @Test
  void tenTransactionsHaveFineBuckets() {
    BucketLayout layout = BucketLayout.of(10);
    assertThat(layout.error()).isLessThan(0.15);
    assertThat(layout.labels())
        .startsWith("0.00002", "0.0000224")
        .contains("0.001", "0.01", "0.1", "1", "10")
        .endsWith("20", "50", "+Inf");
  }

  /** The stated error is that of the widest bucket. Mutation: state that of the narrowest. */
  @Test
  void noBucketIsWiderThanStated() {
    for (BucketLayout layout : BucketLayout.ALL) {
      long[] all = layout.boundariesNanos();
      for (int i = 1; i < all.length; i++) {
        double width = (double) all[i] / all[i - 1] - 1;
        assertThat(all[i]).isGreaterThan(all[i - 1]);
        if (all[i] <= 10_000_000_000L) {
          assertThat(width).isLessThan(all[i] <= 1_000_000 ? layout.fineError() : layout.error());
        }
      }
      assertThat(layout.fineError()).isLessThanOrEqualTo(layout.error());
    }
  }

  /** Mutations: forget the zeros after the point, or those before the end. */
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7, 7",
    "1000, 1000",
    "9007199254740992, 9007199254740992",
    "1e19, 9000000000000000000",
    "-1e19, -9000000000000000000",
    "0.5, 0.5",
    "0.000000001, 0.000000001",
    "0.0000000001, 0.0",
    "12.05, 12.05",
    "0.9999999999, 1.0",
    "899999999.25, 899999999.25",
    "1790000065.25, 1790000065.25",
    "-1790000065.25, -1790000065.25",
    "9000000000.25, 9000000000",
    "-0.0015, -0.0015",
    "-3, -3"
  })
  void isPrintedAtTheEndOfItsRoom(double value, String text) {
    byte[] room = "x".repeat(30).getBytes(StandardCharsets.UTF_8);
    SeriesPage.printNumber(value, room, 5, 5 + SeriesPage.NUMBER_WIDTH);
    assertThat(new String(room, StandardCharsets.UTF_8))
        .isEqualTo("xxxxx" + " ".repeat(SeriesPage.NUMBER_WIDTH - text.length()) + text + "xxxxx");
  }
}
