package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntervalWriterTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir Path folder;
  private Path bundle;
  private final Recording recording =
      new Recording(List.of("hold"), IntStream.range(0, 10).mapToObj(i -> "t" + i).toList());
  @AutoClose private IntervalWriter writer;
  private int transactions = 10;
  private Series[] recorded = Series.values();

  @BeforeEach
  void open() throws IOException {
    bundle = folder;
    writer = new IntervalWriter(bundle, 0, 0, 60 * SECOND, true);
  }

  private void record(long nanos) {
    for (int t = 0; t < transactions; t++) {
      recording.tally(0, t).add(Field.STARTED, 1);
      for (Series series : recorded) {
        recording.tally(0, t).record(series, nanos);
      }
    }
  }

  private GeneratorLog read() throws IOException {
    return BundleReader.generator(bundle, 0);
  }

  /** Mutation: write everything at once, and the line is there after the first part. */
  @Test
  void anIntervalIsWrittenInPartsAndItsLineLast() throws IOException {
    record(1_000_000);
    writer.take(recording, SECOND, new JsonObject());
    // Of the next interval, though it comes before this one is written.
    record(2_000_000);
    for (int part = 0; part < IntervalWriter.PARTS; part++) {
      assertThat(read().extent().lines()).isZero();
      writer.writePart();
    }
    assertThat(read().extent().lines()).isEqualTo(1);
    assertThat(values()).hasSize(10 * Series.values().length).containsOnly("0.5 1: 1000000");
    writer.writePart();
    assertThat(read().extent().lines()).isEqualTo(1);
  }

  @Test
  void theNextIntervalComesAfterTheRestOfTheLast() throws IOException {
    record(1_000_000);
    writer.take(recording, SECOND, new JsonObject());
    writer.writePart();
    record(2_000_000);
    record(2_000_000);
    JsonObject end = new JsonObject();
    end.addProperty("final", true);
    writer.finish(recording, 3 * SECOND, new JsonObject(), end);
    assertThat(read().extent().lines()).isEqualTo(2);
    assertThat(read().end()).isNotNull();
    int series = 10 * Series.values().length;
    assertThat(values().subList(0, series)).containsOnly("0.5 1: 1000000");
    assertThat(values().subList(series, 2 * series)).containsOnly("2.0 2: 4000000");
    List<Long> started = new ArrayList<>();
    read()
        .forEachLine(line -> started.add(line.segments().get("hold").get("t3").get(Field.STARTED)));
    assertThat(started).containsExactly(1L, 2L);
  }

  private void reopen(long plannedSeconds, boolean followed) throws IOException {
    writer.close();
    bundle = bundle.resolve("planned-" + plannedSeconds);
    writer = new IntervalWriter(bundle, 0, 0, plannedSeconds * SECOND, followed);
  }

  /** Records and takes so many seconds; then the end comes in the midst of one. */
  private void run(int seconds) {
    for (int second = 1; second <= seconds; second++) {
      record(second * 1_000_000L);
      writer.take(recording, second * SECOND, line(second - 1, second));
      for (int part = 0; part < IntervalWriter.PARTS; part++) {
        writer.writePart();
      }
    }
    record(1_000_000);
    JsonObject end = new JsonObject();
    end.addProperty("final", true);
    long last = seconds * SECOND + SECOND / 2;
    writer.finish(recording, last, line(seconds, seconds + 0.5), end);
  }

  private static JsonObject line(double from, double to) {
    JsonObject line = new JsonObject();
    line.addProperty("from_ns", Math.round(from * SECOND));
    line.addProperty("to_ns", Math.round(to * SECOND));
    return line;
  }

  /** Ends of the lines in seconds, with the operations that one of the transactions began. */
  private List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    read()
        .forEachLine(
            line -> {
              long started = line.segments().get("hold").get("t3").get(Field.STARTED);
              double from = line.fromNanos() / 1e9;
              lines.add(from + " to " + line.toNanos() / 1e9 + ": " + started);
            });
    return lines;
  }

  @Test
  void anIntervalIsAsLongAsTheRunDemands() {
    assertThat(IntervalWriter.secondsPerInterval(1)).isEqualTo(1);
    assertThat(IntervalWriter.secondsPerInterval(3600 * SECOND)).isEqualTo(1);
    assertThat(IntervalWriter.secondsPerInterval(3600 * SECOND + 5)).isEqualTo(1);
    assertThat(IntervalWriter.secondsPerInterval(3601 * SECOND)).isEqualTo(2);
    assertThat(IntervalWriter.secondsPerInterval(7200 * SECOND)).isEqualTo(2);
    assertThat(IntervalWriter.secondsPerInterval(24 * 3600 * SECOND)).isEqualTo(24);
  }

  @Test
  void theBundleOfALongRunHasLongerIntervals() throws IOException {
    reopen(3 * 3600, true);
    run(7);
    assertThat(lines()).containsExactly("0.0 to 3.0: 3", "3.0 to 6.0: 3", "6.0 to 7.5: 2");
    assertThat(read().end()).isNotNull();
    int series = 10 * Series.values().length;
    List<String> values = values();
    assertThat(values).hasSize(3 * series);
    assertThat(values.subList(0, series)).containsOnly("1.5 3: 6000000");
    assertThat(values.subList(series, 2 * series)).containsOnly("4.5 3: 15000000");
    assertThat(values.subList(2 * series, 3 * series)).containsOnly("6.75 2: 8000000");
  }

  /** Mutation: let the histograms of the bundle go on, and there are too many intervals. */
  @Test
  void noSeriesHasMoreIntervalsThanABundleHolds() throws IOException {
    transactions = 1;
    recorded = new Series[] {Series.SERVICE};
    for (long planned : new long[] {3600, 7200}) {
      reopen(planned, false);
      run((int) planned + 20);
      List<String> values = values();
      assertThat(values).hasSize(IntervalWriter.MOST_INTERVALS);
      long total = 0;
      for (String value : values) {
        total += Long.parseLong(value.substring(value.indexOf(' ') + 1, value.indexOf(':')));
      }
      assertThat(total).isEqualTo(planned + 21);
    }
  }

  @Test
  void theLiveStreamKeepsItsSecondsAndDoesNotGrow() throws IOException {
    reopen(2 * 3600, true);
    run(250);
    try (Stream<Path> files = Files.list(bundle.resolve("live"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "generator-0.2.hlog",
              "generator-0.2.jsonl",
              "generator-0.3.hlog",
              "generator-0.3.jsonl",
              "generator-0.4.hlog",
              "generator-0.4.jsonl");
    }
    List<String> last = Files.readAllLines(bundle.resolve("live/generator-0.4.jsonl"));
    // Ten seconds, the half one, and the final line.
    assertThat(last).hasSize(12);
    assertThat(last.get(0)).contains("\"to_ns\":241000000000,", "\"started\":1,");
    assertThat(last.get(11)).contains("\"final\":true");
  }

  @Test
  void whereNobodyFollowsThereIsNoLiveStream() throws IOException {
    reopen(2 * 3600, false);
    run(3);
    assertThat(bundle.resolve("live")).doesNotExist();
    assertThat(lines()).hasSize(2);
  }

  /** Middle, number and rough sum of every interval. */
  private List<String> values() throws IOException {
    List<String> values = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    try (HistogramLines lines = HistogramLines.open(read(), problems)) {
      for (var interval = lines.peek(); interval != null; interval = lines.peek()) {
        long total = lines.decode().total();
        long sum = Math.round(lines.decode().sumNanos() / 1e5) * 100_000;
        values.add(interval.midSeconds() + " " + total + ": " + sum);
        lines.advance();
      }
    }
    assertThat(problems).isEmpty();
    return values;
  }
}
