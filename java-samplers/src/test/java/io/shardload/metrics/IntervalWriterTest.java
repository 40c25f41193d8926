package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IntervalWriterTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir Path bundle;
  private final Recording recording =
      new Recording(List.of("hold"), IntStream.range(0, 10).mapToObj(i -> "t" + i).toList());
  private IntervalWriter writer;

  @BeforeEach
  void open() throws IOException {
    writer = new IntervalWriter(new BundleFiles(bundle, 0, 0));
  }

  @AfterEach
  void close() throws IOException {
    writer.close();
  }

  private void record(long nanos) {
    for (int t = 0; t < 10; t++) {
      recording.tally(0, t).add(Field.STARTED, 1);
      for (Series series : Series.values()) {
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
    writer.take(recording, 0, SECOND, new JsonObject());
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
    writer.take(recording, 0, SECOND, new JsonObject());
    writer.writePart();
    record(2_000_000);
    record(2_000_000);
    writer.take(recording, SECOND, 3 * SECOND, new JsonObject());
    JsonObject end = new JsonObject();
    end.addProperty("final", true);
    writer.finish(end);
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
