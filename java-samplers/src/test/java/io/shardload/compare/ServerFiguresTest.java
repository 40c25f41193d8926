package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.hosts.HostsText;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the servers' machines did, compared. Every run answers 300 operations a second for 4 s; its
 * one server has 2 processors. The file of each run is written by hand.
 */
class ServerFiguresTest {
  private static final String CPU = "server_cpu_seconds_per_operation";
  private static final String IO = "server_io_per_operation";
  private static final String IO_BYTES = "server_io_bytes_per_operation";

  /** 0.3 of 2 processors over 300/s: 2 ms; 150 writes: 0.5; 1 228 800 bytes: 4 KiB. */
  private static final String QUIET =
      "'cpu_ratio':[0.3,0.3,0.3,0.3],'reads_per_second':[0,0,0,0],"
          + "'writes_per_second':[150,150,150,150],'read_bytes_per_second':[0,0,0,0],"
          + "'written_bytes_per_second':[1228800,1228800,1228800,1228800],"
          + "'write_latency_seconds':[0.001,0.001,0.001,0.001]";

  /** A fifth more CPU, as many operations of twice the bytes. */
  private static final String BUSY =
      QUIET.replace("0.3", "0.36").replace("1228800", "2457600").replace("0.001", "0.004");

  @TempDir Path directory;
  private List<String> lines;
  private ExampleComparison example;

  private Path run(String file, ExampleComparison.Change change) throws IOException {
    if (example == null) {
      example = new ExampleComparison(directory.resolve("runs"), 7, 4);
    }
    return example.run(
        "t",
        2,
        0,
        bundle -> {
          bundle.hostMetrics = file == null ? null : HostsText.read(file);
          change.apply(bundle);
        });
  }

  private Path run(String file) throws IOException {
    return run(file, bundle -> {});
  }

  private static String file(String figures) {
    return "{'source':'store','step_seconds':1,'missing':[],'hosts':[{'host':'db','role':'primary',"
        + "'server':true,'cores':2,'figures':{"
        + figures
        + "}}]}";
  }

  private JsonObject compare(JsonObject request) throws IOException {
    lines = ExampleComparison.lines(request);
    return ExampleComparison.json(directory);
  }

  private JsonObject pair(Path left, Path right) throws IOException {
    return compare(ExampleComparison.series(directory, List.of(left, right)));
  }

  /** Five rounds, ABBA BAAB AB. */
  private JsonObject series(String a, String b) throws IOException {
    List<Path> bundles = new ArrayList<>();
    for (char side : "ABBABAABAB".toCharArray()) {
      bundles.add(run(file(side == 'A' ? a : b)));
    }
    return compare(ExampleComparison.series(directory, bundles));
  }

  private static double value(JsonObject json, String side, String figure) {
    return Json.number(Json.object(json, "sum", "figures", side, figure), "value", Double.NaN);
  }

  private static JsonObject effect(JsonObject json, String figure) {
    return Json.object(json, "sum", "effects", "B", figure);
  }

  private String line(String title, String side) {
    int at = lines.indexOf(title);
    assertThat(at).as(title).isNotNegative();
    return lines.subList(at, lines.size()).stream()
        .filter(line -> line.startsWith("  " + side + " "))
        .findFirst()
        .orElse("");
  }

  @Test
  void cpuAndIoPerOperationAreJudgedAsTheOtherFigures() throws IOException {
    JsonObject json = series(QUIET, BUSY);
    assertThat(value(json, "A", CPU)).isCloseTo(0.002, within(1e-9));
    assertThat(value(json, "B", CPU)).isCloseTo(0.0024, within(1e-9));
    assertThat(value(json, "A", IO)).isCloseTo(0.5, within(1e-9));
    assertThat(value(json, "B", IO_BYTES)).isCloseTo(8192, within(1e-6));
    assertThat(Json.number(effect(json, CPU), "ratio", 0)).isCloseTo(1.2, within(1e-9));
    assertThat(Json.number(effect(json, CPU), "low", 0)).isCloseTo(1.2, within(1e-9));
    assertThat(Json.integer(effect(json, CPU), "pairs", 0)).isEqualTo(5);
    assertThat(Json.text(effect(json, IO), "verdict", "")).isEqualTo("no difference shown");
    assertThat(line("server CPU per operation", "A"))
        .isEqualTo("  A       2.00 ms  median 2.00 ms, variation 0.0 %");
    assertThat(line("server CPU per operation", "B"))
        .isEqualTo(
            "  B       2.40 ms  median 2.40 ms, variation 0.0 %"
                + "  1.200 of A [1.200, 1.200] between runs: more (detectable: 0.1 %)");
    assertThat(line("server I/O operations per operation", "B"))
        .isEqualTo(
            "  B         0.500  median 0.500, variation 0.0 %  1.000 of A [1.000, 1.000] between"
                + " runs: no difference shown (detectable: 0.1 %)");
    assertThat(line("server I/O bytes per operation", "B"))
        .startsWith("  B      8.00 KiB  ")
        .contains("2.000 of A [2.000, 2.000] between runs: more");
  }

  @Test
  void plainFiguresOfTheMachines() throws IOException {
    JsonObject json = series(QUIET, BUSY);
    assertThat(value(json, "B", "server_cpu_ratio")).isCloseTo(0.36, within(1e-9));
    assertThat(value(json, "B", "server_io_per_second")).isCloseTo(150, within(1e-9));
    assertThat(value(json, "B", "server_written_bytes_per_second"))
        .isCloseTo(2457600, within(1e-3));
    assertThat(value(json, "B", "server_read_bytes_per_second")).isZero();
    assertThat(value(json, "B", "server_write_latency_seconds")).isCloseTo(0.004, within(1e-9));
    assertThat(value(json, "B", "server_read_latency_seconds")).as("no read").isNaN();
    assertThat(line("CPU of the busiest server machine", "B")).startsWith("  B        36.0 %  ");
    assertThat(line("server IOPS", "A")).startsWith("  A       150.0/s  ");
    JsonObject nothingRead = effect(json, "server_read_bytes_per_second");
    assertThat(Json.text(nothingRead, "verdict", "")).isEqualTo("not judged");
    assertThat(Json.text(nothingRead, "reason", "")).contains("or 0, in at least one run");
  }

  /** 50 writes a second of 1 ms and 150 of 3 ms: 2.5 ms, and not 2. */
  @Test
  void latenciesOfRunsTogetherWeighByOperations() throws IOException {
    String few = QUIET.replace("150", "50");
    String many = QUIET.replace("0.001", "0.003");
    List<Path> four = List.of(run(file(few)), run(file(QUIET)), run(file(QUIET)), run(file(many)));
    JsonObject json = compare(ExampleComparison.series(directory, four));
    assertThat(value(json, "A", "server_write_latency_seconds")).isCloseTo(0.0025, within(1e-9));
  }

  /**
   * One run has 1 write per operation over 1200 operations in 4 s. The other has 2 over 1200 in 2
   * s, the step that kept up, and 600 operations in one that did not: these have no weight.
   */
  @Test
  void runsTogetherWeighByWhatTheFiguresAreOf() throws IOException {
    ExampleComparison.Change steps =
        bundle -> {
          JsonObject hold = bundle.load().getAsJsonArray("segments").get(0).getAsJsonObject();
          hold.addProperty("seconds", 2);
          hold.addProperty("kind", "step");
          bundle.segment("beyond", "step", 2, 900);
          bundle.generator(0).done(3, "beyond", "update", 600);
          bundle.generator(0).count(3, "beyond", "update", "on_time", -300);
        };
    String one = QUIET.replace("150", "300");
    String four = QUIET.replace("150", "1200").replace("0.3", "0.6");
    List<Path> runs =
        List.of(run(file(one)), run(file(QUIET)), run(file(QUIET)), run(file(four), steps));
    JsonObject json = compare(ExampleComparison.series(directory, runs));
    assertThat(value(json, "A", IO)).isCloseTo(1.5, within(1e-9));
    assertThat(value(json, "A", "server_io_per_second")).isCloseTo(600, within(1e-9));
    assertThat(value(json, "A", "server_cpu_ratio")).isCloseTo(0.4, within(1e-9));
  }

  /** Of two servers that the target lists one has figures, on one side. */
  @Test
  void aSideWithoutOneOfTheMachinesIsNamedAndNotJudged() throws IOException {
    ExampleComparison.Change two =
        bundle ->
            bundle.run.add(
                "server_hosts",
                BundleFixture.list("{'host':'db','port':9100},{'host':'db2','port':9100}"));
    JsonObject json = pair(run(file(QUIET)), run(file(QUIET), two));
    assertThat(value(json, "A", CPU)).isCloseTo(0.002, within(1e-9));
    assertThat(value(json, "B", CPU)).isNaN();
    assertThat(lines)
        .contains(
            "NOTE  the servers' CPU and I/O are not known for B: only 1 of 2 server machines have"
                + " figures");
    assertThat(Json.text(effect(json, CPU), "verdict", "")).isEqualTo("not judged");
  }

  @Test
  void saysThatTheGeneratorsUseIsIncluded() throws IOException {
    ExampleComparison.Change shared =
        bundle -> bundle.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    pair(run(file(QUIET), shared), run(file(QUIET), shared));
    assertThat(lines)
        .contains("server CPU per operation, including the use by generators (A, B)")
        .noneMatch(line -> line.startsWith("NOT COMPARABLE"));
    pair(run(file(QUIET)), run(file(QUIET), shared));
    assertThat(lines)
        .contains(
            "server CPU per operation, including the use by generators (B)",
            "NOT COMPARABLE  figures of the servers' machines: the CPU and I/O figures of the sides"
                + " do not mean the same: A generators on other machines; B generators on the"
                + " servers' machines");
  }

  @Test
  void aStoreAndTheGeneratorsOwnSamplesAreNotTheSame() throws IOException {
    pair(run(file(QUIET)), run(file(QUIET).replace("'store'", "'local'")));
    assertThat(lines)
        .contains(
            "NOT COMPARABLE  figures of the servers' machines: the CPU and I/O figures of the sides"
                + " do not mean the same: A figures from a store; B figures sampled by the"
                + " generators");
  }

  @Test
  void aSideWithoutFiguresIsNamedAndNothingIsJudged() throws IOException {
    String gone =
        "{'source':'store','step_seconds':1,'hosts':[],'missing':['the store does not answer']}";
    JsonObject json = pair(run(gone), run(file(QUIET)));
    assertThat(lines)
        .contains("NOTE  the servers' CPU and I/O are not known for A: the store does not answer")
        .noneMatch(line -> line.startsWith("NOT COMPARABLE"));
    assertThat(line("server CPU per operation", "A")).isEqualTo("  A             -");
    assertThat(line("server CPU per operation", "B")).isEqualTo("  B       2.00 ms  not judged");
    assertThat(effect(json, CPU).get("ratio").isJsonNull()).isTrue();
    assertThat(Json.text(effect(json, CPU), "verdict", "")).isEqualTo("not judged");
    JsonObject side = Json.array(json, "sides").get(0).getAsJsonObject();
    assertThat(Json.object(side, "servers").toString())
        .isEqualTo(
            "{\"shared\":false,\"not_known\":[\"the store does not answer\"],\"missing\":[]}");
  }

  /** Of one run of two; the other is drawn, but together nothing is known. */
  @Test
  void aSingleRunWithoutFiguresIsCounted() throws IOException {
    List<Path> four = List.of(run(null), run(file(QUIET)), run(file(QUIET)), run(file(QUIET)));
    JsonObject json = compare(ExampleComparison.series(directory, four));
    assertThat(lines)
        .contains(
            "NOTE  the servers' CPU and I/O are not known for A: the run has no hosts.json (1 of 2"
                + " runs)");
    assertThat(value(json, "A", CPU)).isNaN();
  }

  @Test
  void whereNobodyLookedThereIsNoLine() throws IOException {
    pair(run(null), run(null));
    assertThat(lines).noneMatch(line -> line.contains("server"));
  }

  /** The capacity's step: its figures are not those of all steps. */
  @Test
  void namesTheStepThatTheFiguresAreOf() throws IOException {
    ExampleComparison.Change step =
        bundle -> {
          JsonObject segment = bundle.load().getAsJsonArray("segments").get(0).getAsJsonObject();
          segment.addProperty("kind", "step");
        };
    pair(run(file(QUIET), step), run(file(QUIET), step));
    assertThat(lines).contains("NOTE  the servers' CPU and I/O cover one step: A hold, B hold");
  }

  @Test
  void unitsOfTheFigures() {
    assertThat(Lines.show(CPU, 0.0000123)).isEqualTo("12.3 us");
    assertThat(Lines.show(IO, 0.0123)).isEqualTo("0.0123");
    assertThat(Lines.show(IO, 12.34)).isEqualTo("12.3");
    assertThat(Lines.show(IO, 1234)).isEqualTo("1234");
    assertThat(Lines.show(IO, 0)).isEqualTo("0.00");
    assertThat(Lines.show(IO_BYTES, 1536)).isEqualTo("1.50 KiB");
    assertThat(Lines.show("server_read_bytes_per_second", 1536)).isEqualTo("1.54 kB/s");
    assertThat(Lines.show("server_cpu_ratio", 0.256)).isEqualTo("25.6 %");
    assertThat(Lines.show("server_read_latency_seconds", 0.0015)).isEqualTo("1.50 ms");
    assertThat(Lines.verdict(Effect.Verdict.HIGHER, "server_read_latency_seconds"))
        .isEqualTo("slower");
    assertThat(Lines.verdict(Effect.Verdict.HIGHER, CPU)).isEqualTo("more");
  }
}
