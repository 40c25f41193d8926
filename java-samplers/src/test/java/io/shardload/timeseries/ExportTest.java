package io.shardload.timeseries;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.hosts.HostsFile;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {
  private static final String SECONDS =
      """
      generator,from_seconds,to_seconds,epoch_ms,segment,kind,transaction,started,dropped,done,\
      missing,refused,failed,unknown,unasked,on_time,carried_in,rows,retries,stale_reads,response_count,\
      response_p50_ns,response_p95_ns,response_p99_ns,response_max_ns,service_count,\
      service_p50_ns,service_p95_ns,service_p99_ns,service_max_ns,errors,fault
      0,0.0,1.0,1790000001000,warm-up,warm-up,update,2,0,2,0,0,0,0,0,2,0,2,0,0,2,2000895,4000000,\
      4000000,4000000,2,1000000,1000000,1000000,1000000,,
      0,1.0,2.0,1790000002000,hold,hold,update,4,0,4,0,0,0,0,0,4,0,4,0,0,4,2000895,4000000,\
      4000000,4000000,4,1000000,1000000,1000000,1000000,,
      0,2.0,3.0,1790000003000,hold,hold,update,3,1,2,0,0,1,0,0,2,0,2,0,0,2,2000895,4000000,\
      4000000,4000000,2,1000000,1000000,1000000,1000000,refused=1,
      """;

  @TempDir Path folder;
  private Path bundle;

  @BeforeEach
  void write() throws IOException {
    BundleFixture run = SmallRun.fixture(folder.resolve("run"));
    bundle = SmallRun.write(run);
    HostSeries host =
        new HostSeries(
            "db1,a", "shard", true, 4, Map.of(Figure.CPU, new double[] {0.25, Double.NaN}));
    HostMetrics hosts =
        new HostMetrics(HostMetrics.STORE, "http://s", 2, List.of(host), List.of("no \"disk\""));
    WholeFile.write(bundle.resolve("hosts.json"), out -> HostsFile.write(hosts, out));
  }

  private static String lines(Path file) throws IOException {
    String text = Files.readString(file);
    assertThat(text.lines().count()).isEqualTo(text.split("\r\n").length);
    return text.replace("\r\n", "\n");
  }

  @Test
  void csvIsThreeTables() throws IOException {
    Path csv = folder.resolve("csv");
    JsonObject done = Export.run(bundle, "csv", csv);
    assertThat(done.getAsJsonArray("files")).hasSize(3);
    assertThat(done.getAsJsonArray("problems").toString()).isEqualTo("[\"no \\\"disk\\\"\"]");
    assertThat(lines(csv.resolve("seconds.csv"))).isEqualTo(SECONDS);
    assertThat(lines(csv.resolve("hosts.csv")))
        .isEqualTo(
            """
            host,role,server,cores,from_seconds,to_seconds,cpu_ratio,iowait_ratio,\
            reads_per_second,writes_per_second,read_bytes_per_second,written_bytes_per_second,\
            read_latency_seconds,write_latency_seconds,disk_busy_ratio,\
            received_bytes_per_second,sent_bytes_per_second
            "db1,a",shard,true,4,0.0,2.0,0.25,,,,,,,,,,
            "db1,a",shard,true,4,2.0,4.0,,,,,,,,,,,
            """);
    assertThat(lines(csv.resolve("summary.csv")))
        .startsWith("key,value\nrun_id,20260921-000000-t-smoke\n")
        .contains("\nledger.started,7\n", "\nwarmup_ledger.started,2\n", "\nledger.dropped,1\n")
        .contains("\nresult_segments.0,hold\n");
  }

  @Test
  void jsonIsOneDocumentWithTheSameRows() throws IOException {
    Path file = folder.resolve("run.json");
    Files.writeString(file, "what was there");
    Export.run(bundle, "json", file);
    JsonObject json = BundleFixture.read(file);
    assertThat(json.keySet())
        .containsExactly(
            "format", "run_id", "start_epoch_ms", "summary", "seconds", "hosts_missing", "hosts");
    assertThat(json.get("format").getAsInt()).isEqualTo(Export.FORMAT);
    assertThat(json.get("start_epoch_ms").getAsLong()).isEqualTo(BundleFixture.START_EPOCH_MILLIS);
    assertThat(json.get("summary"))
        .isEqualTo(JsonParser.parseString(Files.readString(bundle.resolve("summary.json"))));
    assertThat(json.getAsJsonArray("seconds")).hasSize(3);
    JsonObject last = json.getAsJsonArray("seconds").get(2).getAsJsonObject();
    assertThat(last.keySet()).containsExactlyElementsOf(SecondRows.COLUMNS);
    assertThat(last.get("errors").toString()).isEqualTo("{\"refused\":1}");
    assertThat(json.get("hosts_missing").toString()).isEqualTo("[\"no \\\"disk\\\"\"]");
    assertThat(json.getAsJsonArray("hosts").get(1).getAsJsonObject().get("cpu_ratio").isJsonNull())
        .isTrue();
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("run", "run.json");
  }

  /** In each format: a reader of the files would miss the machines and not know why. */
  @Test
  void saysWhatIsMissingOfTheMachines() throws IOException {
    Files.writeString(bundle.resolve("hosts.json"), "{\"source\":\"sto");
    for (String format : List.of("csv", "json", "openmetrics")) {
      JsonObject done = Export.run(bundle, format, folder.resolve(format));
      assertThat(done.getAsJsonArray("problems").asList())
          .singleElement()
          .satisfies(problem -> assertThat(problem.getAsString()).contains("hosts.json"));
    }
  }

  @Test
  void whatIsRefused() throws IOException {
    assertThat(refusalOf(() -> Export.run(bundle, "cvs", folder.resolve("x"))))
        .hasMessage("unknown format \"cvs\"; did you mean \"csv\"?");
    Files.writeString(bundle.resolve("summary.json"), "{");
    assertThat(refusalOf(() -> Export.run(bundle, "json", folder.resolve("x"))))
        .hasMessage("run: summary.json cannot be read; \"shardload report run\" rewrites it");
    Files.delete(bundle.resolve("summary.json"));
    assertThat(refusalOf(() -> Export.run(bundle, "json", folder.resolve("x"))))
        .hasMessage(
            "run has no summary.json: the run is still running or was cut off; \"shardload report"
                + " run\" writes it");
  }

  /** A generator takes histograms before counters; a call may end in between. */
  @Test
  void aLatencyWhoseCounterIsInTheIntervalBeforeHasARow() throws IOException {
    Path ledger = bundle.resolve("latencies/generator-0.jsonl");
    List<String> lines = new ArrayList<>(Files.readAllLines(ledger));
    int last =
        IntStream.range(0, lines.size())
            .filter(i -> lines.get(i).contains("refused"))
            .findFirst()
            .orElseThrow();
    JsonObject line = JsonParser.parseString(lines.get(last)).getAsJsonObject();
    line.add("segments", new JsonObject());
    lines.set(last, line.toString());
    Files.write(ledger, lines);
    Path csv = folder.resolve("csv");
    Export.run(bundle, "csv", csv);
    assertThat(lines(csv.resolve("seconds.csv")).lines().skip(3))
        .containsExactly(
            "0,2.0,3.0,1790000003000,hold,hold,update,0,0,0,0,0,0,0,0,0,0,0,0,0,"
                + "2,2000895,4001791,4001791,,2,1000447,1000447,1000447,,,");
  }

  /** In effect from 0.5 to 1 s and from 2.9 s to the end; the third was never in effect. */
  @Test
  void aRowNamesTheFaultThatWasInEffect() throws IOException {
    try (Writer out = Files.newBufferedWriter(new BundleLayout(bundle).faults())) {
      fault(out, Kind.BEGUN, "stop-1", 500);
      fault(out, Kind.ENDED, "stop-1", 1000);
      fault(out, Kind.BEGIN, "kill-2", 1100);
      fault(out, Kind.BEGUN, "kill-3", 2900);
    }
    Path csv = folder.resolve("csv");
    Export.run(bundle, "csv", csv);
    assertThat(lines(csv.resolve("seconds.csv")).lines().skip(1))
        .extracting(row -> row.substring(row.lastIndexOf(',') + 1))
        .containsExactly("stop-1", "", "kill-3");
  }

  private static void fault(Writer out, Kind kind, String name, long millis) throws IOException {
    FaultsFile.append(new FaultsFile.Event(kind, name, 0, millis * 1_000_000, ""), out);
  }

  /** Generators that recorded nothing have no time: nothing could be drawn. */
  @Test
  void aRunWithoutMeasurementIsRefused() throws IOException {
    Path empty = SmallRun.write(new BundleFixture(folder.resolve("empty")));
    assertThat(refusalOf(() -> Export.run(empty, "openmetrics", folder.resolve("x"))))
        .hasMessage("empty contains no measurement: its generators recorded nothing");
    assertThat(folder.resolve("x")).doesNotExist();
  }
}
