package io.shardload.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentHistogramsTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path directory;
  private Path into;

  /** Three seconds of two segments; calls of the first one end in the second one. */
  @BeforeEach
  void write() throws IOException {
    into = new BundleLayout(directory).segmentHistograms(0);
    try (BundleFiles files = new BundleFiles(directory, BundleLayout.stream(0), 0)) {
      interval(files, 0, Map.of("one/insert/service", new long[] {1000, 2000, 2000}));
      interval(files, 1, Map.of("one/insert/service", new long[] {900, 2000}));
      interval(
          files,
          2,
          new TreeMap<>(
              Map.of(
                  "one/insert/service",
                  new long[] {70_000},
                  "two/insert/service",
                  new long[] {5})));
      JsonObject last =
          BundleFixture.parse(
              "{'final':true,'format':2,'actual_end_ns':3000000000,'start_epoch_ms':1700000000000,"
                  + "'segments_ns':{'one':[0,2000000000],'two':[2000000000,3000000000]}}");
      files.writeLine(last);
    }
  }

  private static void interval(BundleFiles files, long second, Map<String, long[]> series) {
    series.forEach(
        (tag, values) ->
            files.writeHistogram(tag, second * SECOND, (second + 1) * SECOND, counts(values)));
    JsonObject line = new JsonObject();
    line.addProperty("to_ns", (second + 1) * SECOND);
    files.writeLine(line);
  }

  private static SlotCounts counts(long... risingNanos) {
    Map<Integer, Long> bySlot = new TreeMap<>();
    for (long nanos : risingNanos) {
      bySlot.merge(Slots.of(nanos), 1L, Long::sum);
    }
    SlotCounts counts = new SlotCounts();
    bySlot.forEach(counts::add);
    return counts;
  }

  /** Mutations: keep the last interval of a series; the span of the interval. */
  @Test
  void eachSeriesOfASegmentIsOneLine() throws Exception {
    GeneratorLog generator = BundleReader.generator(directory, 0);
    SegmentHistograms.write(generator, into);
    List<String> lines =
        Files.readAllLines(into).stream().filter(line -> line.startsWith("Tag=")).toList();
    assertThat(lines)
        .satisfiesExactly(
            one -> assertThat(one).startsWith("Tag=one/insert/service,0.000,2.000,"),
            two -> assertThat(two).startsWith("Tag=two/insert/service,2.000,1.000,"));
    String first = lines.get(0);
    byte[] payload = Base64.getDecoder().decode(first.substring(first.lastIndexOf(',') + 1));
    Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(payload), 0);
    assertThat(histogram.getTotalCount()).isEqualTo(6);
    assertThat(histogram.getCountAtValue(2000)).isEqualTo(3);
    assertThat(histogram.getCountAtValue(70_000)).isEqualTo(1);
    assertThat(histogram.getCountAtValue(900)).isEqualTo(1);
  }

  /** It is what a bundle of a run with load hosts holds of a generator. */
  @Test
  void aBundleReadsTheFileAsThatOfAGenerator() throws IOException {
    SegmentHistograms.write(BundleReader.generator(directory, 0), into);
    GeneratorLog whole = BundleReader.generator(directory, 0);
    GeneratorLog of =
        new GeneratorLog(0, whole.ledger(), whole.extent(), whole.end(), into, List.of());
    long total = 0;
    try (HistogramLines lines = HistogramLines.open(of, new ArrayList<>())) {
      for (; lines.peek() != null; lines.advance()) {
        total += lines.decode().total();
      }
    }
    assertThat(total).isEqualTo(7);
  }

  /** Mutation: leave out what cannot be read. */
  @Test
  void damageIsNotLeftOut() throws IOException {
    Path hlog = directory.resolve("latencies/generator-0.hlog");
    String text = Files.readString(hlog, StandardCharsets.US_ASCII);
    int last = text.trim().lastIndexOf(',');
    Files.writeString(
        hlog,
        text.substring(0, last + 9) + "!" + text.substring(last + 10),
        StandardOpenOption.TRUNCATE_EXISTING);
    GeneratorLog generator = BundleReader.generator(directory, 0);
    assertThatThrownBy(() -> SegmentHistograms.write(generator, into))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("generator-0.hlog is damaged");
  }
}
