package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.SessionsFile.Moment;
import io.shardload.bundle.SessionsFile.Server;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.exposition.RecordedGenerator.Family;
import io.shardload.metrics.Recording;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunReadingsTest {
  private static final long START = 1_790_000_000_000L;
  private static final String OPEN =
      """
      {'run': {'id': '20260921-142640-citus-max', 'profile': 'max'},
       'target': {'name': 'citus'},
       'workload': {'name': 'document-store', 'seed': 1},
       'schedule_hash': 'c0ffee',
       'load': {'model': 'open', 'generators': 2, 'segments': [
         {'name': 'warm-up', 'kind': 'warm-up', 'seconds': 10, 'from_rate': 100, 'to_rate': 100},
         {'name': 'ramp', 'kind': 'ramp', 'seconds': 5, 'from_rate': 0, 'to_rate': 500},
         {'name': 'step-1', 'kind': 'step', 'seconds': 20, 'from_rate': 500, 'to_rate': 500},
         {'name': 'hold', 'kind': 'hold', 'seconds': 30, 'from_rate': 500.5, 'to_rate': 500.5}]}}
      """;

  /** The run fails beyond some; the other criteria are no limit of all transactions. */
  private static final String LIMITED =
      OPEN.replace(
          "'load': {",
          """
          'criteria': [
            {'subject': 'p99', 'condition': '>', 'threshold': 0.3, 'fail': true},
            {'subject': 'fail', 'condition': '>', 'threshold': 0.5, 'is_share': true, 'fail': true},
            {'subject': 'fail', 'condition': '>', 'threshold': 3, 'fail': true},
            {'subject': 'p99', 'condition': '>', 'threshold': 0.1, 'fail': true, 'label': 'find'},
            {'subject': 'p99', 'condition': '>', 'threshold': 0.01, 'fail': false},
            {'subject': 'p99', 'condition': '<', 'threshold': 0.01, 'fail': true},
            {'subject': 'p95', 'condition': '>', 'threshold': 0.02, 'fail': true}],
          'load': {'limits': {'errors_percent': 1, 'p99_ms': 250},
          """);

  private static final Moment SESSIONS =
      new Moment(
          START + 68_000,
          Map.of(
              "db1:5432",
              new Server(
                  "coordinator",
                  Map.of("idle", Map.of("ClientRead", 2.0), "lock", Map.of("tuple", 5.0, "x", 1.5)),
                  null,
                  null)),
          Map.of());
  private static final String SUMMARY =
      """
      {'verdict': {'code': 3, 'name': 'missed'},
       'headline': {'step': 'step-1', 'offered_per_second': 500, 'achieved_per_second': 499.5,
         'series': 'response', 'errors_percent': 0.25,
         'latency_ns': {'p50': 1000000, 'p90': 2000000, 'p95': 2500000, 'p99': 5000000,
           'p999': 9000000}},
       'capacity': {'offered_per_second': 500, 'step': 'step-1', 'at_least': true},
       'bottleneck': {'segment': 'step-2', 'resource': 'locks'},
       'verification': {'verdict': 'wrong', 'counts': {'lost': 2, 'doubled': 1}}}
      """;
  private static final String CLOSED =
      """
      {'verdict': {'code': 0, 'name': 'ok'},
       'headline': {'step': null, 'offered_per_second': null, 'achieved_per_second': 812.25,
         'series': 'service', 'errors_percent': 0, 'latency_ns': {'p50': 3000000, 'p99': null}},
       'capacity': null, 'verification': {'verdict': 'skipped', 'counts': {'lost': 0}}}
      """;

  private final AtomicLong now = new AtomicLong(START - 60_000);

  private static final Map<String, String> COMMON = Map.of("run_id", "r", "generator", "0");
  private static final List<String> MIX = List.of("find", "insert");
  private static final Map<String, Map<String, Long>> SCHEDULED =
      Map.of("warm-up", Map.of("find", 3L, "insert", 1L), "hold", Map.of("find", 10L));

  /** From the beginning to the end; the last page is what dashboards are checked against. */
  @Test
  void aRunWithSteps() throws Exception {
    JsonObject config = BundleFixture.parse(LIMITED);
    RunReadings readings = new RunReadings(config, "0.1.0", now::get);
    try (MetricsEndpoint endpoint = open(config, readings)) {
      assertThat(samples(endpoint))
          .containsExactly(
              "info{generators=2,model=open,schedule_hash=c0ffee,seed=1,version=0.1.0} 1",
              "limit_errors_ratio 0.005",
              "limit_p99_seconds 0.25");
      readings.started(START);
      readings.started(START + 1);
      now.set(START + 15_000);
      assertThat(samples(endpoint))
          .contains("start_timestamp_seconds 1790000000")
          .filteredOn(line -> line.contains("segment"))
          .containsExactly(
              segment("ramp", "ramp", "500", "1790000010"),
              segment("step", "step-1", "500", "1790000015"),
              segment("warm-up", "warm-up", "100", "1790000000"));
      now.set(START + 70_000);
      readings.ended(START + 65_250);
      assertThat(samples(endpoint))
          .contains("end_timestamp_seconds 1790000065.25")
          .contains(segment("hold", "hold", "500.5", "1790000035"))
          .noneMatch(line -> line.startsWith("verdict") || line.startsWith("exit_code"));
      fault(readings, Kind.BEGIN, 39_990);
      fault(readings, Kind.ENDED, 39_995);
      fault(readings, Kind.BEGUN, 40_000);
      fault(readings, Kind.ENDED, 45_500);
      fault(readings, Kind.BEGUN, 70_001);
      readings.judged(BundleFixture.parse(SUMMARY));
      readings.sessions(SESSIONS);
      assertThat(page(endpoint)).isEqualTo(golden());
    }
  }

  private static void fault(RunReadings readings, Kind kind, long millis) {
    readings.fault(new FaultsFile.Event(kind, "stop-1", START + millis, millis * 1_000_000, ""));
  }

  /** A server that no longer answers is not shown with what its sessions did before. */
  @Test
  void sessionsOfLongAgoAreNotShown() throws Exception {
    JsonObject config = BundleFixture.parse(OPEN);
    RunReadings readings = new RunReadings(config, "0.1.0", now::get);
    readings.sessions(SESSIONS);
    try (MetricsEndpoint endpoint = open(config, readings)) {
      now.set(SESSIONS.epochMillis() + 4999);
      assertThat(samples(endpoint))
          .contains(
              "sessions{doing=lock,role=coordinator,server=db1:5432} 6.5",
              "sessions{doing=idle,role=coordinator,server=db1:5432} 2",
              "sessions{doing=flush,role=coordinator,server=db1:5432} 0");
      now.set(SESSIONS.epochMillis() + 5000);
      assertThat(samples(endpoint)).noneMatch(line -> line.startsWith("sessions"));
    }
  }

  @Test
  void aSegmentThatARunNeverReachedHasNotBegun() throws Exception {
    JsonObject config = BundleFixture.parse(OPEN);
    RunReadings readings = new RunReadings(config, "0.1.0", now::get);
    readings.started(START);
    readings.ended(START + 12_000);
    now.set(START + 600_000);
    assertThat(readings.get().stream().map(one -> one.labels().get("segment")))
        .contains("warm-up", "ramp")
        .doesNotContain("step-1", "hold");
  }

  /** The warm-up of ten seconds has three more. Mutation: the segments of the configuration. */
  @Test
  void whatFollowsAProlongedWarmUpBeginsLater() {
    RunReadings readings = new RunReadings(BundleFixture.parse(OPEN), "0.1.0", now::get);
    readings.started(START);
    readings.started(START + 1, 3);
    now.set(START + 12_999);
    assertThat(begun(readings)).containsExactly("warm-up 1790000000");
    now.set(START + 13_000);
    assertThat(begun(readings)).containsExactly("warm-up 1790000000", "ramp 1790000013");
  }

  private static List<String> begun(RunReadings readings) {
    return readings.get().stream()
        .filter(one -> one.labels().containsKey("segment"))
        .map(one -> one.labels().get("segment") + " " + Math.round(one.value()))
        .toList();
  }

  @Test
  void whatAClosedModelDoesNotKnowIsAbsent() throws Exception {
    JsonObject config =
        BundleFixture.parse(
            OPEN.replace("'open'", "'closed'").replaceAll("_rate': [0-9.]+", "_rate': null"));
    RunReadings readings = new RunReadings(config, "0.1.0", now::get);
    readings.started(START);
    now.set(START + 1000);
    readings.judged(BundleFixture.parse(CLOSED));
    try (MetricsEndpoint endpoint = open(config, readings)) {
      assertThat(samples(endpoint))
          .containsExactly(
              "achieved_rate 812.25",
              "errors_ratio 0",
              "exit_code{verdict=ok} 0",
              "info{generators=2,model=closed,schedule_hash=c0ffee,seed=1,version=0.1.0} 1",
              "response_seconds{measure=service,quantile=0.5} 0.003",
              "start_timestamp_seconds 1790000000",
              "verdict_timestamp_seconds 1790000001",
              segment("warm-up", "warm-up", "", "1790000000"));
    }
  }

  @Test
  void aRunWithoutAResultHasAVerdict() {
    RunReadings readings = new RunReadings(BundleFixture.parse(OPEN), "0.1.0", now::get);
    readings.judged(
        BundleFixture.parse("{'verdict': {'code': 2, 'name': 'interrupted'}, 'headline': null}"));
    assertThat(readings.get().stream().map(one -> one.name()))
        .containsExactly(
            "shardload_run_info",
            "shardload_run_verdict_timestamp_seconds",
            "shardload_run_exit_code");
  }

  private static MetricsEndpoint open(JsonObject config, RunReadings readings) {
    return MetricsEndpoint.open("127.0.0.1", 0, RunReadings.labels(config), readings);
  }

  private static String segment(String kind, String name, String rate, String value) {
    return "shardload_segment_start_timestamp_seconds{kind=%s,rate=%s,segment=%s} %s"
        .formatted(kind, rate, name, value);
  }

  /** The samples of a page without what all have in common. */
  private static List<String> samples(MetricsEndpoint endpoint) throws Exception {
    return page(endpoint)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.replaceAll("(run_id|target|workload|profile)=\"[^\"]*\",?", ""))
        .map(line -> line.replace("\"", "").replaceFirst("^shardload_run_", ""))
        .map(line -> line.replace(",}", "}").replace("{}", ""))
        .toList();
  }

  private static String page(MetricsEndpoint endpoint) throws Exception {
    return Scraped.page(endpoint.address());
  }

  private static String golden() throws IOException {
    try (var file = RunReadingsTest.class.getResourceAsStream("/monitoring/controller.prom")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static RecordedGenerator recorded(Map<String, Map<String, Long>> scheduled) {
    return new RecordedGenerator(COMMON, MIX, true, 2, scheduled);
  }

  private static Map<String, Double> values(List<Family> families, double[] values) {
    Map<String, Double> all = new HashMap<>();
    families.stream()
        .flatMap(family -> family.series().stream())
        .forEach(one -> all.put(one.name() + one.labels(), values[one.place()]));
    return all;
  }

  /** But for the cost of serving, and the processors of the machine that the test runs on. */
  @Test
  void theSeriesAndTheirValuesAreThoseThatWereServed() {
    GeneratorMetrics live = new GeneratorMetrics(COMMON, MIX, true, null);
    RecordedGenerator recorded = recorded(Map.of());
    SlotCounts counts = new SlotCounts();
    counts.add(3000, 4);
    List<Recording.Interval> histograms =
        List.of(
            new Recording.Interval("hold/find/response", counts),
            new Recording.Interval("hold/generator/hiccup", counts));
    for (int second = 0; second < 2; second++) {
      var line =
          Ledgers.line(
              "{\"workers\": 4, \"backlog\": 7, \"clock_offset_ms\": 2.5, \"segments\": {\"hold\":"
                  + " {\"find\": {\"started\": 4, \"done\": 3, \"failed\": 1,"
                  + " \"errors\": {\"refused\": 1}}}}}");
      live.second(line, histograms);
      recorded.second(line, histograms);
    }
    live.finish();
    recorded.finish();
    Map<String, Double> served = values(live.page().describe(), live.values());
    Map<String, Double> again = values(recorded.families(), recorded.values());
    served.keySet().removeIf(name -> name.startsWith("shardload_generator_metrics_cpu"));
    assertThat(again).hasSameSizeAs(served);
    for (var map : List.of(served, again)) {
      map.keySet().removeIf(name -> name.matches("shardload_generator_(cores|cpu|gc).*"));
    }
    assertThat(again).isEqualTo(served);
    assertThat(again).hasSizeGreaterThan(400);
  }

  private static double due(RecordedGenerator generator, String transaction) {
    return values(generator.families(), generator.values())
        .get(
            "shardload_arrivals_due_total{generator=0, run_id=r, transaction=" + transaction + "}");
  }

  @Test
  void whatBecameDueIsDividedAsTheWholeSegmentIs() {
    RecordedGenerator generator = recorded(SCHEDULED);
    generator.second(Ledgers.line("{\"due\": {\"warm-up\": 2}}"), List.of());
    assertThat(due(generator, "find")).isEqualTo(1);
    generator.second(Ledgers.line("{\"due\": {\"warm-up\": 2, \"hold\": 4}}"), List.of());
    assertThat(due(generator, "find")).isEqualTo(3 + 4);
    assertThat(due(generator, "insert")).isEqualTo(1);
  }

  /** In a long run a line is many seconds. */
  @Test
  void peaksAreShownForFifteenSecondsOfLongLines() {
    RecordedGenerator generator = recorded(Map.of());
    SlotCounts counts = new SlotCounts();
    counts.add(3000, 1);
    var hiccup = List.of(new Recording.Interval("hold/generator/hiccup", counts));
    List<Boolean> shown = new ArrayList<>();
    for (int line = 0; line < 4; line++) {
      generator.second(
          Ledgers.line(
              "{\"from_ns\": %d0000000000, \"to_ns\": %d0000000000}".formatted(line, line + 1)),
          line == 0 ? hiccup : List.of());
      Map<String, Double> now = values(generator.families(), generator.values());
      shown.add(now.get("shardload_generator_hiccup_max_seconds{generator=0, run_id=r}") > 0);
    }
    assertThat(shown).containsExactly(true, true, false, false);
  }

  @Test
  void whatComesFromHistogramsIsKnown() {
    assertThat(recorded(Map.of()).families().stream().filter(RecordedGenerator::isFromHistograms))
        .extracting(Family::name)
        .extracting(name -> name.replaceFirst("shardload_", ""))
        .containsExactly(
            ("duration_seconds phase_seconds generator_hiccup_seconds generator_late_seconds"
                    + " generator_hiccup_max_seconds generator_late_max_seconds bucket_error_ratio")
                .split(" "));
  }

  @Test
  void cpuTimeBeforeTheFirstLineIsNotThatOfTheRun() {
    RecordedGenerator generator = recorded(Map.of());
    for (String nanos : Arrays.asList("4000000000", "4500000000")) {
      generator.second(Ledgers.line("{\"cpu_ns\": " + nanos + "}"), List.of());
    }
    assertThat(values(generator.families(), generator.values()))
        .containsEntry("shardload_generator_cpu_seconds_total{generator=0, run_id=r}", 0.5);
  }
}
