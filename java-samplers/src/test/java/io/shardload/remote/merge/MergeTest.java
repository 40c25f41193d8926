package io.shardload.remote.merge;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.histogram.HistogramDecoder;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.PackedSecond;
import io.shardload.remote.wire.WireEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergeTest {
  private static final long SECOND = 1_000_000_000;
  private static final String TAG = "hold/find/service";

  @TempDir Path folder;
  @AutoClose private Merge merge;

  @BeforeEach
  void open() throws IOException {
    merge = new Merge(folder, 2, 1_000_000, 60 * SECOND, true);
  }

  private static JsonObject line(double from, double to, long started) {
    JsonObject line =
        BundleFixture.parse(
            "{'workers':4,'backlog':%1$d,'oldest_unfinished_ns':%1$d,'due':{'hold':%1$d},"
                    .formatted(started)
                + "'segments':{'hold':{'find':{'started':%d,'max_ns':{'service':%d}}}}}"
                    .formatted(started, started * 1000));
    line.addProperty("from_ns", Math.round(from * SECOND));
    line.addProperty("to_ns", Math.round(to * SECOND));
    line.addProperty("cpu_ns", Math.round(to * 1000));
    return line;
  }

  /** An interval that ends at a time, with so many operations in slot 100. */
  private void add(int generator, double to, long started) {
    SlotCounts counts = new SlotCounts();
    counts.add(100, started);
    PackedSecond packed =
        PackedSecond.read(
            WireEncoder.encode(
                new Message.Second(
                    generator,
                    line(to - 1, to, started),
                    List.of(new Message.Histogram(TAG, counts)),
                    0,
                    new byte[0])));
    merge.add(generator, packed.line(), packed::addTo);
    merge.writeComplete();
  }

  private List<JsonObject> lines() throws IOException {
    List<JsonObject> lines = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("latencies/merged.jsonl"))) {
      lines.add(JsonParser.parseString(line).getAsJsonObject());
    }
    return lines;
  }

  /** From, to, operations begun and number of generators of each second. */
  private List<String> seconds() throws IOException {
    List<String> seconds = new ArrayList<>();
    for (JsonObject line : lines()) {
      JsonObject find = line.getAsJsonObject("segments");
      String started =
          find == null || !find.has("hold")
              ? "0"
              : find.getAsJsonObject("hold").getAsJsonObject("find").get("started").getAsString();
      seconds.add(
          line.get("from_ns").getAsLong() / 1e9
              + " to "
              + line.get("to_ns").getAsLong() / 1e9
              + ": "
              + started
              + " of "
              + line.get("generators"));
    }
    return seconds;
  }

  /** What the histogram file holds, by second in which it ends. */
  private List<Long> histograms() throws IOException {
    List<Long> totals = new ArrayList<>();
    try (HistogramDecoder decoder = new HistogramDecoder()) {
      for (String line : Files.readAllLines(folder.resolve("latencies/merged.hlog"))) {
        if (line.startsWith("Tag=" + TAG)) {
          totals.add(decoder.decode(line.substring(line.lastIndexOf(',') + 1)).total());
        }
      }
    }
    return totals;
  }

  private void prolonged(int generator, double to, double bySeconds, double percent) {
    JsonObject line = line(to - 1, to, 1);
    line.addProperty("prolonged_ns", Math.round(bySeconds * SECOND));
    line.addProperty("warm_up_ns", Math.round((3 + bySeconds) * SECOND));
    line.addProperty("jit_percent", percent);
    merge.add(generator, line, sums -> {});
    merge.writeComplete();
  }

  private String warmUp(int second) throws IOException {
    JsonObject line = lines().get(second);
    return line.get("prolonged_ns") + " " + line.get("warm_up_ns") + " " + line.get("jit_percent");
  }

  /**
   * One learns later that the warm-up goes on, and then nobody reports for a second. Mutations: the
   * sum; the last; none in an interval without a report.
   */
  @Test
  void theLongestWarmUpCounts() throws IOException {
    prolonged(0, 1, 2, 9.5);
    prolonged(1, 1, 1, 11.5);
    prolonged(0, 2, 2, 3.5);
    prolonged(1, 2, 2, 0.5);
    merge.writeOverdue(5 * SECOND);
    assertThat(warmUp(0)).isEqualTo("2000000000 5000000000 11.5");
    assertThat(warmUp(1)).isEqualTo("2000000000 5000000000 3.5");
    assertThat(warmUp(2)).isEqualTo("2000000000 5000000000 null");
    merge.finish(new JsonObject());
    assertThat(lines().get(3).get("prolonged_ns").getAsLong()).isEqualTo(2 * SECOND);
  }

  /** Mutation: write a second when half of the generators have reported it. */
  @Test
  void aSecondIsWrittenWhenAllHaveReportedIt() throws IOException {
    add(0, 1.0, 5);
    assertThat(lines()).isEmpty();
    add(1, 0.97, 7);
    assertThat(seconds()).containsExactly("0.0 to 1.0: 12 of 2");
    assertThat(histograms()).containsExactly(12L);
    JsonObject line = lines().get(0);
    assertThat(line.get("cpu_ns").getAsLong()).isEqualTo(1970);
    assertThat(line.get("workers").getAsLong()).isEqualTo(8);
    assertThat(line.get("backlog").getAsLong()).isEqualTo(12);
    assertThat(line.get("oldest_unfinished_ns").getAsLong()).isEqualTo(7);
    assertThat(line.get("epoch_ms").getAsLong()).isEqualTo(1_001_000);
    assertThat(line.get("seq").getAsLong()).isZero();
    assertThat(line.getAsJsonObject("due").get("hold").getAsLong()).isEqualTo(12);
    assertThat(line.has("generator")).isFalse();
    assertThat(
            line.getAsJsonObject("segments")
                .getAsJsonObject("hold")
                .getAsJsonObject("find")
                .getAsJsonObject("max_ns")
                .get("service")
                .getAsLong())
        .isEqualTo(7000);
  }

  /** Mutations: add a later second at once; drop what comes too late; wait for ever. */
  @Test
  void whatComesTooLateIsCountedInTheNextSecond() throws IOException {
    add(0, 1, 1);
    add(0, 2, 2);
    add(0, 3, 4);
    merge.writeOverdue(3 * SECOND - 1);
    assertThat(lines()).isEmpty();
    merge.writeOverdue(3 * SECOND);
    assertThat(seconds()).containsExactly("0.0 to 1.0: 1 of 1");
    add(1, 1, 10);
    add(1, 2, 20);
    assertThat(seconds()).containsExactly("0.0 to 1.0: 1 of 1", "1.0 to 2.0: 32 of 2");
    add(1, 3, 40);
    assertThat(seconds()).hasSize(3).last().isEqualTo("2.0 to 3.0: 44 of 2");
    assertThat(histograms()).containsExactly(1L, 32L, 44L);
  }

  @Test
  void whoIsGoneIsNotWaitedFor() throws IOException {
    add(0, 1, 1);
    add(1, 1, 1);
    add(0, 2, 2);
    merge.gone(1);
    merge.gone(1);
    merge.writeComplete();
    assertThat(seconds()).containsExactly("0.0 to 1.0: 2 of 2", "1.0 to 2.0: 2 of 1");
    assertThat(lines().get(1).get("workers").getAsLong()).isEqualTo(4);
    // What it used stays used.
    assertThat(lines().get(1).get("cpu_ns").getAsLong()).isEqualTo(3000);
    merge.gone(0);
    merge.writeOverdue(100 * SECOND);
    assertThat(lines()).hasSize(2);
  }

  @Test
  void aSecondInWhichNobodyReportsIsEmpty() throws IOException {
    merge.writeOverdue(4 * SECOND);
    assertThat(seconds()).containsExactly("0.0 to 1.0: 0 of 0", "1.0 to 2.0: 0 of 0");
    add(0, 1, 3);
    add(1, 3, 4);
    add(0, 3, 5);
    assertThat(seconds()).hasSize(3).last().isEqualTo("2.0 to 3.0: 12 of 2");
  }

  @Test
  void theEndHoldsWhatIsLeft() throws IOException {
    add(0, 1, 1);
    add(0, 2, 2);
    add(1, 1, 1);
    add(0, 3, 4);
    JsonObject end = new JsonObject();
    end.addProperty("final", true);
    merge.finish(end);
    assertThat(seconds().subList(0, 3))
        .containsExactly("0.0 to 1.0: 2 of 2", "1.0 to 2.0: 2 of 1", "2.0 to 3.0: 4 of 1");
    JsonObject last = lines().get(3);
    assertThat(last.get("final").getAsBoolean()).isTrue();
    assertThat(last.get("seq").getAsLong()).isEqualTo(3);
    assertThat(last.get("hlog_bytes").getAsLong())
        .isEqualTo(Files.size(folder.resolve("latencies/merged.hlog")));
  }

  /** Mutation: lose or repeat anything anywhere. */
  @Test
  void nothingIsLostOrCountedTwiceWhateverComesWhen() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    long total = 0;
    double[] to = new double[2];
    for (int step = 0; step < 400; step++) {
      int generator = random.nextInt(2);
      to[generator] += 0.6 + random.nextDouble() * (random.nextInt(10) == 0 ? 5 : 0.8);
      long started = random.nextLong(1, 51);
      add(generator, to[generator], started);
      total += started;
      if (random.nextInt(3) == 0) {
        merge.writeOverdue((long) (Math.max(to[0], to[1]) * SECOND));
      }
    }
    merge.finish(new JsonObject());
    long started = 0;
    long before = 0;
    for (JsonObject line : lines().subList(0, lines().size() - 1)) {
      assertThat(line.get("from_ns").getAsLong()).isEqualTo(before);
      before = line.get("to_ns").getAsLong();
      assertThat(before).isGreaterThan(line.get("from_ns").getAsLong());
      JsonObject segments = line.getAsJsonObject("segments");
      if (segments.has("hold")) {
        started +=
            segments.getAsJsonObject("hold").getAsJsonObject("find").get("started").getAsLong();
      }
    }
    assertThat(started).isEqualTo(total);
    assertThat(histograms().stream().mapToLong(n -> n).sum()).isEqualTo(total);
  }

  @Test
  void theFinalLineAddsThoseOfTheGenerators() {
    TreeMap<Integer, JsonObject> finals = new TreeMap<>();
    finals.put(0, end("schedule", 60, 100, 0, 30));
    finals.put(2, end("signal", 61, 50, 1, 31));
    finals.get(0).add("error_samples", BundleFixture.parse("{'timeout':'first'}"));
    finals.get(2).add("error_samples", BundleFixture.parse("{'timeout':'second'}"));
    finals.get(2).getAsJsonObject("error_samples").addProperty("node-lost", "gone");
    JsonObject merged = MergedEnd.of(finals, 3, 5000);
    assertThat(merged.get("stop_reason").getAsString()).isEqualTo("signal");
    assertThat(merged.get("actual_end_ns").getAsLong()).isEqualTo(61);
    assertThat(merged.get("start_epoch_ms").getAsLong()).isEqualTo(5000);
    assertThat(merged.get("format").getAsInt()).isEqualTo(2);
    assertThat(merged.get("merged").getAsBoolean()).isTrue();
    assertThat(merged.get("generators").getAsInt()).isEqualTo(2);
    assertThat(merged.toString())
        .contains("\"scheduled\":{\"hold\":{\"find\":150}}")
        .contains("\"segments_ns\":{\"hold\":[0,31]}")
        .contains("\"error_samples\":{\"timeout\":\"first\",\"node-lost\":\"gone\"}");
    finals.remove(2);
    assertThat(MergedEnd.of(finals, 1, 0).get("stop_reason").getAsString()).isEqualTo("schedule");
    assertThat(MergedEnd.of(finals, 2, 0).get("stop_reason").getAsString())
        .isEqualTo("generator-lost");
  }

  private static JsonObject end(String reason, long end, long scheduled, long from, long to) {
    return BundleFixture.parse(
        "{'stop_reason':'%s','actual_end_ns':%d,'scheduled':{'hold':{'find':%d}},"
                .formatted(reason, end, scheduled)
            + "'segments_ns':{'hold':[%d,%d]}}".formatted(from, to));
  }
}
