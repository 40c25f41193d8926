package io.shardload.remote.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark measures what it says: everything that is sent ends up in the merged stream. */
class ScaleBenchTest {
  @TempDir Path bundle;

  @Test
  void everythingIsMerged() throws Exception {
    ScaleBench.Result result = ScaleBench.run(20, 4, bundle);
    assertThat(result.generators()).isEqualTo(20);
    Files.writeString(bundle.resolve("run.json"), "{}");
    GeneratorLog merged = BundleReader.read(bundle).merged();
    long[] started = new long[1];
    merged.forEachLine(
        line ->
            line.segments().values().stream()
                .flatMap(transactions -> transactions.values().stream())
                .forEach(counts -> started[0] += counts.get(Counts.Field.STARTED)));
    assertThat(started[0]).isEqualTo(20L * 4 * 10 * 300);
    long values = 0;
    List<String> problems = new ArrayList<>();
    try (HistogramLines lines = HistogramLines.open(merged, problems)) {
      for (; lines.peek() != null; lines.advance()) {
        values += lines.decode().total();
      }
    }
    assertThat(problems).isEmpty();
    assertThat(values).isEqualTo(20L * 4 * 60 * 300);
  }
}
