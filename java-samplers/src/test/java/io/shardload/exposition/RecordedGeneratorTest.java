package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.exposition.RecordedGenerator.Family;
import io.shardload.metrics.Recording;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordedGeneratorTest {
  private static final Map<String, String> COMMON = Map.of("run_id", "r", "generator", "0");
  private static final List<String> MIX = List.of("find", "insert");
  private static final Map<String, Map<String, Long>> SCHEDULED =
      Map.of("warm-up", Map.of("find", 3L, "insert", 1L), "hold", Map.of("find", 10L));

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
        .containsExactly(
            "shardload_duration_seconds",
            "shardload_phase_seconds",
            "shardload_generator_hiccup_seconds",
            "shardload_generator_late_seconds",
            "shardload_generator_hiccup_max_seconds",
            "shardload_generator_late_max_seconds",
            "shardload_bucket_error_ratio");
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
