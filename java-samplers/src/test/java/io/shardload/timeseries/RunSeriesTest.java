package io.shardload.timeseries;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.SessionsFile;
import io.shardload.exposition.RecordedGenerator.Family;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunSeriesTest {
  private static final String STARTED = "shardload_arrivals_started_total";
  private static final String BUCKET = "shardload_duration_seconds_bucket";

  @TempDir Path folder;

  /** Keeps everything: the runs of these tests are short. */
  private static final class Kept implements RunSeries.Sink {
    private final List<Points> all = new ArrayList<>();

    @Override
    public void family(Family family) {}

    @Override
    public void series(Points points) {
      all.add(points);
    }

    List<Points> of(String name, String label, String value) {
      return all.stream()
          .filter(points -> points.name().equals(name))
          .filter(points -> value.equals(points.labels().get(label)))
          .toList();
    }
  }

  private static Kept read(Path bundle) throws IOException {
    Export.FinishedRun run = Export.FinishedRun.read(bundle);
    Kept kept = new Kept();
    try (RunSeries series = RunSeries.of(run.bundle(), run.summary())) {
      series.writeTo(kept);
      assertThat(series.problems()).isEmpty();
    }
    return kept;
  }

  /** The whole page but for the buckets and most of the 15 s after the end. */
  @Test
  void theOpenMetricsPageIsThis() throws IOException {
    Export.FinishedRun run = Export.FinishedRun.read(SmallRun.write(SmallRun.fixture(folder)));
    StringWriter text = new StringWriter();
    try (RunSeries series = RunSeries.of(run.bundle(), run.summary())) {
      Export.OpenMetrics.write(series, text);
    }
    String page =
        text.toString()
            .lines()
            .filter(line -> !line.startsWith(BUCKET))
            .filter(line -> !line.matches(".* 17900000(0[5-9]|1[0-7])\\.000"))
            .collect(Collectors.joining("\n"));
    try (var golden = RunSeriesTest.class.getResourceAsStream("/timeseries/small-run.om")) {
      assertThat(page + "\n").isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void bucketsAreCumulativeAndCountEverySegment() throws IOException {
    Kept kept = read(SmallRun.write(SmallRun.fixture(folder)));
    Map<String, double[]> response =
        kept.of(BUCKET, "phase", "response").stream()
            .collect(Collectors.toMap(one -> one.labels().get("le"), Points::values));
    assertThat(response.get("0.0018")).containsExactly(0, 0, 0, 0, 0);
    assertThat(response.get("0.00224")).containsExactly(0, 1, 4, 5, 5);
    assertThat(response.get("+Inf")).containsExactly(0, 2, 6, 8, 8);
  }

  /** In a run with load hosts only the histograms are of all generators together. */
  @Test
  void loadHostsKeepTheirCountersAndShareTheirHistograms() throws IOException {
    BundleFixture run = SmallRun.fixture(folder).hosts("a:1", "b:1");
    BundleFixture.Generator second = run.generator(1);
    SmallRun.answered(second, 1, "hold", 3);
    Kept kept = read(SmallRun.write(run));
    assertThat(kept.of(STARTED, "generator", "0").get(0).values()).containsExactly(0, 2, 6, 9, 9);
    assertThat(kept.of(STARTED, "generator", "1").get(0).values()).containsExactly(0, 0, 3, 3);
    assertThat(kept.of(STARTED, "generator", "all")).isEmpty();
    assertThat(kept.of("shardload_generator_cores", "generator", "1").get(0).last()).isEqualTo(2);
    List<Points> counts =
        kept.all.stream()
            .filter(one -> one.name().equals("shardload_duration_seconds_count"))
            .toList();
    assertThat(counts).extracting(one -> one.labels().get("generator")).containsOnly("all");
    assertThat(counts).extracting(Points::last).containsExactly(11.0, 11.0);
  }

  @Test
  void theControllersSeriesLastAsLongAsTheLongestGenerator() throws IOException {
    BundleFixture run = SmallRun.fixture(folder);
    BundleFixture.Generator second = run.generator(1);
    for (int at = 0; at < 6; at++) {
      SmallRun.answered(second, at, "hold", 1);
    }
    List<Points> controllers =
        read(SmallRun.write(run)).all.stream()
            .filter(one -> one.name().equals("shardload_run_start_timestamp_seconds"))
            .toList();
    assertThat(controllers).isNotEmpty();
    assertThat(controllers.get(0).epochMillis()).contains(BundleFixture.START_EPOCH_MILLIS + 5000);
  }

  /** Those before the load are what is at rest; each other one is at the next point. */
  @Test
  void whatSessionsDidIsAmongTheControllersSeries() throws IOException {
    Path bundle = SmallRun.write(SmallRun.fixture(folder));
    long start = BundleFixture.START_EPOCH_MILLIS;
    try (Writer file = Files.newBufferedWriter(bundle.resolve("sessions.jsonl"))) {
      for (long at : new long[] {-9000, 400, 1400}) {
        Map<String, Map<String, Double>> lock = Map.of("lock", Map.of("tuple", 3.0 + at));
        SessionsFile.append(
            new SessionsFile.Moment(
                start + at,
                Map.of("db1:5432", new SessionsFile.Server("primary", lock, null, null)),
                Map.of()),
            file);
      }
    }
    Kept kept = read(bundle);
    Points locks = kept.of("shardload_run_sessions", "doing", "lock").get(0);
    assertThat(locks.count()).isEqualTo(2);
    for (long at : new long[] {400, 1400}) {
      int next = Arrays.binarySearch(locks.epochMillis(), start + at + 600);
      assertThat(locks.values()[next]).isEqualTo(3.0 + at);
    }
    assertThat(kept.of("shardload_run_sessions", "doing", "disk").get(0).count()).isEqualTo(2);
  }

  /**
   * From the moment on at which one took effect. Turned red by a bundle's file that is not read.
   */
  @Test
  void faultsAreAmongTheControllersSeries() throws IOException {
    Path bundle = SmallRun.write(SmallRun.fixture(folder));
    long at = BundleFixture.START_EPOCH_MILLIS + 900;
    try (Writer file = Files.newBufferedWriter(bundle.resolve("faults.jsonl"))) {
      FaultsFile.append(new FaultsFile.Event(Kind.BEGUN, "kill", at, 900_000_000, ""), file);
    }
    Points begun = read(bundle).of("shardload_fault_timestamp_seconds", "event", "begun").get(0);
    long[] moments = begun.epochMillis();
    assertThat(begun.values())
        .isEqualTo(
            Arrays.stream(moments).mapToDouble(m -> m < at ? Double.NaN : at / 1e3).toArray());
    assertThat(moments[0]).isLessThan(at);
    assertThat(begun.last()).isEqualTo(at / 1000.0);
  }

  /** An interval of a long run takes many seconds: there is a point for each. */
  @Test
  void aRunThatWasCutOffHasTheTimesOfItsLines() throws IOException {
    BundleFixture run = SmallRun.fixture(folder);
    run.generator(0).ended = false;
    Kept kept = read(SmallRun.write(run));
    Points started = kept.of(STARTED, "generator", "0").get(0);
    // The fixture writes the time of an interval's begin: a second early.
    long start = BundleFixture.START_EPOCH_MILLIS - 1000;
    assertThat(started.epochMillis())
        .containsExactly(start, start + 1000, start + 2000, start + 3000, start + 4000);
    assertThat(kept.of("shardload_arrivals_due_total", "generator", "0").get(0).last())
        .isEqualTo(10);
  }

  @Test
  void aLineOfTheImportIsASeries() throws IOException {
    Writer text = new StringWriter();
    double[] values = {Double.NaN, 0, 0.1 + 0.2, 1_790_000_000.125, 12_345_678_901L};
    new Publish.ImportLines(text)
        .series(
            new Points(
                "a_total", Map.of("quoted", "a\"b\\c\nd"), new long[] {1, 2, 3, 4, 5}, values));
    assertThat(text)
        .hasToString(
            "{\"metric\":{\"__name__\":\"a_total\",\"quoted\":\"a\\\"b\\\\c\\nd\"},"
                + "\"values\":[0,0.3,1790000000.125,12345678901],\"timestamps\":[2,3,4,5]}\n");
  }

  private FileChannel file() throws IOException {
    return FileChannel.open(
        folder.resolve("table"),
        StandardOpenOption.CREATE_NEW,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /** Two tables in one file, over several blocks; a series begins within a block, one later. */
  @Test
  void everySeriesKeepsItsValues() throws IOException {
    try (FileChannel file = file()) {
      RunSeries.SeriesTable one = new RunSeries.SeriesTable(file);
      RunSeries.SeriesTable other = new RunSeries.SeriesTable(file);
      for (int row = 0; row < 150; row++) {
        one.add(
            1000L * row,
            row < 10
                ? new double[] {row, -row}
                : row < 130 ? new double[] {row, -row, 2.5} : new double[] {row, -row, 2.5, 7});
        other.add(row, new double[] {row + 0.5});
      }
      assertThat(one.epochMillis()).hasSize(150).startsWith(0, 1000).endsWith(149_000);
      for (int row = 0; row < 150; row++) {
        assertThat(one.column(0)[row]).isEqualTo(row);
        assertThat(one.column(1)[row]).isEqualTo(-row);
        assertThat(one.column(2)[row]).isEqualTo(Double.valueOf(row < 10 ? Double.NaN : 2.5));
        assertThat(one.column(3)[row]).isEqualTo(Double.valueOf(row < 130 ? Double.NaN : 7));
        assertThat(other.column(0)[row]).isEqualTo(row + 0.5);
      }
    }
  }
}
