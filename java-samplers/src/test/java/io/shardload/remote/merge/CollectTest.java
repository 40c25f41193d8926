package io.shardload.remote.merge;

import static io.shardload.driver.Caught.refusalOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.CollectedFiles;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.SegmentHistograms;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts of six seconds each, of which the bundle knows the first ones. */
class CollectTest {
  private static final long SECOND = 1_000_000_000;
  private static final int SECONDS = 6;
  private static final long PLANNED = SECONDS * SECOND;
  private static final String RUN = "run-1";

  @TempDir Path folder;
  private Path bundle;

  @BeforeEach
  void open() throws IOException {
    bundle = Files.createDirectories(folder.resolve("bundle"));
    Files.writeString(
        bundle.resolve("run.json"), "{\"run\":{\"id\":\"run-1\"},\"load\":{\"generators\":2}}");
  }

  private static JsonObject line(int generator, int second) {
    JsonObject line = BundleFixture.parse("{'segments':{'hold':{'find':{'started':1}}}}");
    line.addProperty("generator", generator);
    line.addProperty("seq", second);
    line.addProperty("from_ns", second * SECOND);
    line.addProperty("to_ns", (second + 1) * SECOND);
    line.addProperty("cpu_ns", (second + 1) * 1000);
    return line;
  }

  private static JsonObject end(int generator) {
    JsonObject line = line(generator, SECONDS);
    line.remove("segments");
    line.addProperty("final", true);
    line.addProperty("format", 2);
    line.addProperty("stop_reason", "lease-lost");
    line.addProperty("start_epoch_ms", 5000);
    line.addProperty("actual_end_ns", PLANNED);
    line.add("segments_ns", BundleFixture.parse("{'hold':[0,6000000000]}"));
    return line;
  }

  private static SlotCounts counts(int generator, int second) {
    SlotCounts counts = new SlotCounts();
    counts.add(100 + second, 1 + 10L * generator);
    return counts;
  }

  /** What a host has kept; without its final line if it was killed. */
  private Path host(String name, int generator, boolean killed) throws IOException {
    Path path = folder.resolve(name).resolve(RUN);
    try (BundleFiles files = new BundleFiles(path, "generator-" + generator, 5000)) {
      for (int s = 0; s < SECONDS; s++) {
        files.writeHistogram(
            "hold/find/service", s * SECOND, (s + 1) * SECOND, counts(generator, s));
        files.writeLine(line(generator, s));
      }
      if (!killed) {
        files.writeLine(end(generator));
      }
    }
    Path journal = path.resolve("journal/generator-" + generator + ".jnl");
    Files.createDirectories(journal.getParent());
    Files.writeString(journal, "shardjnl-of-" + generator);
    return path;
  }

  /** What has come during the run: so many seconds of each generator. */
  private void live(int... seconds) throws IOException {
    try (Merge merge = new Merge(bundle, 2, 5000, PLANNED, false)) {
      TreeMap<Integer, JsonObject> finals = new TreeMap<>();
      for (int g = 0; g < 2; g++) {
        try (CollectedFiles files = new CollectedFiles(bundle, g, 1, 3600)) {
          for (int s = 0; s < seconds[g]; s++) {
            SlotCounts counts = counts(g, s);
            files.line(line(g, s));
            merge.add(g, line(g, s), sums -> sums.apply("hold/find/service").add(counts));
          }
          files.journal(0, "shardjnl-o".getBytes(UTF_8));
          if (seconds[g] == SECONDS) {
            byte[] segments = Files.readAllBytes(segments(g));
            files.histograms(0, segments);
            files.finish(end(g), segments.length, 10);
            finals.put(g, end(g));
          }
        }
      }
      merge.finish(MergedEnd.of(finals, 2, 5000));
    }
  }

  private Path segments(int generator) throws IOException {
    Path host = host("segments-" + generator, generator, false);
    Path into = folder.resolve("segments-" + generator + ".hlog");
    SegmentHistograms.write(BundleReader.generator(host, generator), into);
    return into;
  }

  /** Totals by slot, as the encoder writes them, of a stream. */
  private static Map<String, Long> totals(GeneratorLog log) throws IOException {
    Map<String, Long> totals = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    try (HistogramLines lines = HistogramLines.open(log, problems)) {
      for (; lines.peek() != null; lines.advance()) {
        String at = lines.peek().segment() + " " + lines.peek().midSeconds();
        totals.merge(at, lines.decode().total(), Long::sum);
      }
    }
    assertThat(problems).isEmpty();
    return totals;
  }

  private String started() throws IOException {
    StringBuilder text = new StringBuilder();
    BundleReader.read(bundle)
        .merged()
        .forEachLine(
            line ->
                text.append(line.segments().get("hold").get("find").get(Counts.Field.STARTED))
                    .append(' '));
    return text.toString().strip();
  }

  private void assertWhole(String journalOf0) throws IOException {
    assertThat(started()).isEqualTo("2 2 2 2 2 2");
    assertThat(totals(BundleReader.read(bundle).merged()).values())
        .containsExactly(12L, 12L, 12L, 12L, 12L, 12L);
    for (int g = 0; g < 2; g++) {
      GeneratorLog log = BundleReader.generator(bundle, g);
      assertThat(log.extent().lines()).isEqualTo(6);
      assertThat(log.end().stopReason()).isEqualTo("lease-lost");
      assertThat(totals(log)).containsExactly(Map.entry("hold 3.0", 6 * (1 + 10L * g)));
      assertThat(bundle.resolve("journal/generator-" + g + ".jnl"))
          .hasContent(g == 0 ? journalOf0 : "shardjnl-of-1");
    }
    assertThat(BundleReader.read(bundle).merged().end().stopReason()).isEqualTo("lease-lost");
    assertThat(bundle.resolve("collect.part")).doesNotExist();
  }

  @Test
  void allFoldersMakeTheBundleAnew() throws IOException {
    live(2, 3);
    JsonObject ok =
        Collect.collect(bundle, List.of(host("a", 0, false), host("b", 1, false)), PLANNED);
    assertThat(ok).hasToString("{\"collected\":[0,1],\"missing\":[],\"lines\":[]}");
    assertWhole("shardjnl-of-0");
  }

  /** Mutation: count what had come already once more. */
  @Test
  void oneFolderAddsWhatIsMissing() throws IOException {
    live(6, 2);
    assertThat(started()).isEqualTo("2 2 1 1 1 1");
    Path host = host("b", 1, false);
    Collect.collect(bundle, List.of(host), PLANNED);
    assertWhole("shardjnl-o");
    // Once more changes nothing.
    Collect.collect(bundle, List.of(host), PLANNED);
    assertWhole("shardjnl-o");
  }

  @Test
  void whoIsStillMissingIsSaid() throws IOException {
    live(2, 2);
    JsonObject ok = Collect.collect(bundle, List.of(host("a", 0, false)), PLANNED);
    assertThat(ok.get("collected")).hasToString("[0]");
    assertThat(ok.get("missing")).hasToString("[1]");
    assertThat(ok.get("lines").toString()).contains("generator 1 left no final ledger line");
    assertThat(started()).isEqualTo("2 2 1 1 1 1");
  }

  @Test
  void whatAKilledGeneratorHasKeptIsMergedToo() throws IOException {
    live(6, 2);
    Collect.collect(bundle, List.of(host("b", 1, true)), PLANNED);
    assertThat(started()).isEqualTo("2 2 2 2 2 2");
    assertThat(BundleReader.generator(bundle, 1).end()).isNull();
    assertThat(bundle.resolve("latencies/generator-1.hlog")).hasSize(0);
  }

  /** Mutation: install what was made before all of it is. */
  @Test
  void foldersOfAnotherRunAreRefusedAndNothingChanges() throws IOException {
    live(2, 2);
    Path other = host("a", 0, false);
    Path renamed = Files.move(other, other.resolveSibling("run-2"));
    String before = started();
    assertThat(refusalOf(() -> Collect.collect(bundle, List.of(renamed), PLANNED)))
        .hasMessageEndingWith("belongs to run run-2, not to run run-1");
    assertThat(
            refusalOf(
                () ->
                    Collect.collect(
                        bundle, List.of(host("b", 1, false), host("c", 1, false)), PLANNED)))
        .hasMessageContaining("generator 1 is in");
    assertThat(refusalOf(() -> Collect.collect(bundle, List.of(host("d", 2, false)), PLANNED)))
        .hasMessageContaining("the run has no generator 2");
    assertThat(refusalOf(() -> Collect.collect(bundle, List.of(folder), PLANNED)))
        .hasMessageContaining("contains no generator's ledger");
    Path damaged = host("e", 1, false);
    Files.writeString(damaged.resolve("journal/generator-1.jnl"), "shardjnl-Xf-1");
    assertThat(refusalOf(() -> Collect.collect(bundle, List.of(damaged), PLANNED)))
        .hasMessageContaining("at byte 9");
    assertThat(started()).isEqualTo(before);
  }

  @Test
  void aLongRunNeedsAllFoldersAtOnce() throws IOException {
    live(6, 2);
    Path host = folder.resolve("b").resolve(RUN);
    try (BundleFiles files = new BundleFiles(host, "generator-1", 5000)) {
      JsonObject line = line(1, 0);
      line.addProperty("to_ns", 6 * SECOND);
      files.writeHistogram("hold/find/service", 0, 6 * SECOND, counts(1, 0));
      files.writeLine(line);
      files.writeLine(end(1));
    }
    JsonObject ok = Collect.collect(bundle, List.of(host), PLANNED);
    assertThat(ok.get("lines").toString()).contains("pass the folders of all load hosts at once");
    assertThat(started()).isEqualTo("2 2 1 1 1 1");
    assertThat(BundleReader.generator(bundle, 1).end()).isNotNull();
  }
}
