package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.compare.ServerFigure;
import io.shardload.results.measured.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Figures by hand. The grid of the file is 2 s; the segment from 1 s to 5 s covers one second of
 * the first interval, the second one whole, and one second of the third: weights 1, 2, 1.
 */
class ServerUseTest {
  private static final double NONE = Double.NaN;
  private static final Offset<Double> EXACT = within(1e-12);
  private static final Segment SEGMENT = segment(1, 5);

  private static final HostMetrics METRICS =
      new HostMetrics(
          HostMetrics.STORE,
          "",
          1,
          List.of(
              new HostSeries(
                  "db1",
                  "shard",
                  true,
                  4,
                  Map.of(
                      Figure.CPU, new double[] {0.1, 0.3, 0.9, NONE, NONE},
                      Figure.READS, new double[] {10, 30, 0, 0, 5},
                      Figure.WRITES, new double[] {0, 0, 0, 0, 0},
                      Figure.READ_LATENCY, new double[] {0.001, 0.003, NONE, NONE, 0.002})),
              new HostSeries(
                  "db2",
                  "shard",
                  true,
                  4,
                  Map.of(
                      Figure.CPU, new double[] {0.2, 0.2, 0.2, 0.2, 0.2},
                      Figure.READS, new double[] {0, 40, 0, NONE, 5},
                      Figure.WRITES, new double[] {1, 1, 1, 1, 1},
                      Figure.READ_LATENCY, new double[] {NONE, 0.004, NONE, NONE, 0.004})),
              new HostSeries(
                  "load", "generator", false, 2, Map.of(Figure.CPU, new double[] {1, 1, 1, 1, 1}))),
          List.of());

  @TempDir Path directory;
  private BundleFixture bundle;

  private static final HostSeries HOST =
      new HostSeries("db", "primary", true, 2, Map.of(Figure.WRITTEN_BYTES, new double[] {2, 4}));

  private static Segment segment(double from, double to) {
    long end = Math.round(to * 1e9);
    return new Segment("hold", "hold", 10, 10, Math.round(from * 1e9), end, end);
  }

  /** A machine under construction. */
  private static final class Machine {
    final Map<Figure, double[]> values = new EnumMap<>(Figure.class);
    final String host;
    final int cores;

    Machine(String host, int cores) {
      this.host = host;
      this.cores = cores;
    }

    Machine with(Figure figure, double... each) {
      values.put(figure, each);
      return this;
    }

    HostSeries as(String role) {
      return new HostSeries(host, role, !role.equals("generator"), cores, values);
    }
  }

  private static ServerUse use(long onTime, long carriedIn, HostSeries... hosts) {
    Counts counts = new Counts();
    counts.set(Field.DONE, 1_000_000);
    counts.set(Field.REFUSED, 2);
    counts.set(Field.ON_TIME, onTime);
    counts.set(Field.CARRIED_IN, carriedIn);
    HostMetrics metrics = new HostMetrics(HostMetrics.STORE, "", 2, List.of(hosts), List.of());
    return ServerUse.of(machines(metrics), List.of(SEGMENT), counts);
  }

  private static ServerMachines machines(HostMetrics metrics) {
    return new ServerMachines(metrics, metrics.servers(), metrics.servers().size(), false);
  }

  /** Every disk and network figure of a machine, alike in all intervals. */
  private static Machine disks(Machine machine, double each) {
    for (Figure figure :
        List.of(Figure.READS, Figure.WRITES, Figure.READ_BYTES, Figure.WRITTEN_BYTES)) {
      machine.with(figure, each, each, each);
    }
    return machine.with(Figure.DISK_BUSY, each / 100, each / 100, each / 100);
  }

  /** (0.1 + 2 * 0.9 + 0.1) / 4 = 0.5. Mutation: with the same weight for each it is 0.37. */
  @Test
  void weighsIntervalsByTheTimeInTheSegments() {
    HostSeries host = new Machine("db1", 4).with(Figure.CPU, 0.1, 0.9, 0.1, 0.0).as("primary");
    assertThat(use(10, 0, host).value(Figure.CPU)).isEqualTo(0.5, EXACT);
  }

  /**
   * db1 uses 0.5 of 4 processors, db2 0.25 of 8: 4 processors for 4 s are 16 CPU seconds, of 34
   * operations answered in time and 8 carried in, less 2 refused, 0.4 each. Mutations: the mean
   * instead of the highest; operations of the ledger's {@code done}; each machine with the same
   * processors; refused operations too.
   */
  @Test
  void addsMachinesAndDividesByWhatWasAnsweredInTheSegments() {
    HostSeries one =
        disks(new Machine("db1", 4), 10).with(Figure.CPU, 0.5, 0.5, 0.5).as("coordinator");
    HostSeries two =
        disks(new Machine("db2", 8), 30).with(Figure.CPU, 0.25, 0.25, 0.25).as("shard");
    ServerUse use = use(34, 8, one, two);
    assertThat(use.hosts()).isEqualTo(2);
    assertThat(use.value(Figure.CPU)).isEqualTo(0.5, EXACT);
    assertThat(use.cpuHost()).isEqualTo("db1 (coordinator)");
    assertThat(use.cpuSecondsPerOperation()).isEqualTo(0.4, EXACT);
    assertThat(use.value(Figure.READS)).isEqualTo(40, EXACT);
    assertThat(use.iops()).isEqualTo(80, EXACT);
    assertThat(use.ioPerOperation()).isEqualTo(80 * 4 / 40.0, EXACT);
    assertThat(use.ioBytesPerOperation()).isEqualTo(8, EXACT);
    assertThat(use.value(Figure.DISK_BUSY)).isEqualTo(0.3, EXACT);
    assertThat(use.diskBusyHost()).isEqualTo("db2 (shard)");
  }

  /**
   * 100 reads/s of 1 ms for 1 s, none for 2 s, 300/s of 5 ms for 1 s: 1.6 s over 400 reads are 4
   * ms. Over both machines 1.6 s + 400 * 2 ms over 800 reads are 3 ms. Mutations: weighted by time;
   * the mean of the machines' means.
   */
  @Test
  void weighsLatenciesByOperations() {
    Machine one = new Machine("db1", 1).with(Figure.READS, 100, 0, 300);
    one.with(Figure.READ_LATENCY, 0.001, NONE, 0.005).with(Figure.WRITES, 0, 0, 0);
    Machine two = new Machine("db2", 1).with(Figure.READS, 100, 100, 100);
    two.with(Figure.READ_LATENCY, 0.002, 0.002, 0.002).with(Figure.WRITES, 0, 0, 0);
    assertThat(use(1, 0, one.as("shard")).value(Figure.READ_LATENCY)).isEqualTo(0.004, EXACT);
    ServerUse both = use(1, 0, one.as("shard"), two.as("shard"));
    assertThat(both.value(Figure.READ_LATENCY)).isEqualTo(0.003, EXACT);
    assertThat(both.value(Figure.WRITE_LATENCY)).isNaN();
    assertThat(both.value(Figure.WRITES)).isZero();
  }

  /** A gap is not zero, and does not count as time. Mutation: NaN as 0 gives 0.2. */
  @Test
  void leavesGapsOut() {
    HostSeries gap = new Machine("db1", 4).with(Figure.CPU, 0.4, NONE, 0.4).as("primary");
    assertThat(use(1, 0, gap).value(Figure.CPU)).isEqualTo(0.4, EXACT);
    HostSeries most = new Machine("db1", 4).with(Figure.CPU, 0.4).as("primary");
    assertThat(use(1, 0, most)).isNull();
  }

  /**
   * One machine has no disks: its processors count, but no sum over disks is known, nor which disk
   * is the busiest. Mutation: the busiest of the known ones.
   */
  @Test
  void knowsNoSumOfWhichAPartIsUnknown() {
    HostSeries one = disks(new Machine("db1", 4), 10).with(Figure.CPU, 0.5, 0.5, 0.5).as("shard");
    HostSeries two = new Machine("db2", 0).with(Figure.CPU, 0.7, 0.7, 0.7).as("coordinator");
    ServerUse use = use(4, 0, one, two);
    assertThat(use.value(Figure.CPU)).isEqualTo(0.7, EXACT);
    assertThat(use.cpuSecondsPerOperation()).isNaN();
    assertThat(use.values()).doesNotContainKeys(Figure.READS, Figure.READ_BYTES);
    assertThat(use.iops()).isNaN();
    assertThat(use.ioPerOperation()).isNaN();
    assertThat(use.value(Figure.DISK_BUSY)).isNaN();
    assertThat(ServerUse.toJson(use).toString())
        .isEqualTo(
            "{\"hosts\":2,\"expected\":2,\"shared\":false,\"cpu_ratio\":0.7,\"cpu_host\":\"db2"
                + " (coordinator)\","
                + "\"iops\":null,\"reads_per_second\":null,\"writes_per_second\":null,"
                + "\"read_bytes_per_second\":null,\"written_bytes_per_second\":null,"
                + "\"received_bytes_per_second\":null,\"sent_bytes_per_second\":null,"
                + "\"read_latency_seconds\":null,\"write_latency_seconds\":null,"
                + "\"disk_busy_ratio\":null,\"disk_busy_host\":null,"
                + "\"cpu_seconds_per_operation\":null,\"io_per_operation\":null,"
                + "\"io_bytes_per_operation\":null}");
  }

  /** The machine without a value may be the busiest. */
  @Test
  void knowsNoBusiestMachineWhileOneIsNotKnown() {
    HostSeries one = new Machine("db1", 4).with(Figure.CPU, 0.5, 0.5, 0.5).as("shard");
    HostSeries two = new Machine("db2", 4).with(Figure.CPU, 0.9).as("shard");
    HostSeries disks = disks(new Machine("db3", 4), 10).as("shard");
    ServerUse use = use(1, 0, disks(new Machine("db1", 4), 20).as("shard"), disks);
    assertThat(use.value(Figure.DISK_BUSY)).isEqualTo(0.2, EXACT);
    assertThat(use.value(Figure.CPU)).isNaN();
    assertThat(use.cpuHost()).isNull();
    assertThat(use(1, 0, one, two)).isNull();
  }

  /** Of two machines one has figures: together nothing is known. Mutation: the figures of one. */
  @Test
  void knowsNothingOfAllTogetherWhileOneIsMissing() {
    HostSeries one = disks(new Machine("db1", 4), 10).with(Figure.CPU, 0.5, 0.5, 0.5).as("shard");
    HostMetrics metrics = new HostMetrics(HostMetrics.STORE, "", 2, List.of(one), List.of());
    ServerMachines half = new ServerMachines(metrics, List.of(one), 2, false);
    ServerUse use = ServerUse.of(half, List.of(SEGMENT), new Counts());
    assertThat(use.isWhole()).isFalse();
    assertThat(use.values()).isEmpty();
    assertThat(use.cpuSecondsPerOperation()).isNaN();
    assertThat(ServerUse.toJson(use).toString())
        .startsWith("{\"hosts\":1,\"expected\":2,\"shared\":false,\"cpu_ratio\":null,");
  }

  /** Reads without latencies: that of the other machine is not that of both. */
  @Test
  void knowsNoLatencyOfWhichAPartIsUnknown() {
    Machine one = new Machine("db1", 1).with(Figure.READS, 100, 100, 100);
    Machine two = new Machine("db2", 1).with(Figure.READS, 100, 100, 100);
    two.with(Figure.READ_LATENCY, 0.002, 0.002, 0.002);
    assertThat(use(1, 0, one.as("shard"), two.as("shard")).value(Figure.READ_LATENCY)).isNaN();
    Machine idle = new Machine("db1", 1).with(Figure.READS, 0, 0, 0);
    assertThat(use(1, 0, idle.as("shard"), two.as("shard")).value(Figure.READ_LATENCY))
        .isEqualTo(0.002, EXACT);
  }

  /** Generators' own machines are none of the servers'; without a server's nothing is known. */
  @Test
  void isOfServersOnly() {
    HostSeries load = new Machine("load1", 4).with(Figure.CPU, 1, 1, 1).as("generator");
    HostSeries db = new Machine("db1", 4).with(Figure.CPU, 0.2, 0.2, 0.2).as("primary");
    assertThat(use(1, 0, load)).isNull();
    assertThat(use(1, 0, load, db).hosts()).isEqualTo(1);
    assertThat(use(1, 0, load, db).value(Figure.CPU)).isEqualTo(0.2, EXACT);
    ServerMachines none = new ServerMachines(null, List.of(), 0, true);
    assertThat(ServerUse.of(none, List.of(SEGMENT), new Counts())).isNull();
    assertThat(use(0, 0, db).cpuSecondsPerOperation()).isNaN();
  }

  private static double[] of(Figure figure, double width) {
    return ServerFigure.serverCurve(machines(METRICS), width, 4.5, use -> use.value(figure));
  }

  // Two machines of servers and one of a generator, on a grid of 1 s.

  /** A sum needs every machine; the interval of the file beyond the run's end counts half. */
  @Test
  void machinesAddUp() {
    assertThat(of(Figure.READS, 1)).containsExactly(10, 70, 0, NONE, 10);
    assertThat(of(Figure.WRITES, 2)).containsExactly(1, 1, 1);
    assertThat(ServerFigure.serverCurve(machines(METRICS), 1, 4.5, ServerUse::iops))
        .containsExactly(11, 71, 1, NONE, 11);
  }

  /** One of two machines has figures. */
  @Test
  void withoutAMachineNothingIsKnown() {
    HostMetrics one = new HostMetrics("store", "", 1, List.of(METRICS.hosts().get(1)), List.of());
    ServerMachines half = new ServerMachines(one, one.servers(), 2, false);
    assertThat(ServerFigure.serverCurve(half, 1, 2, use -> use.value(Figure.CPU)))
        .containsExactly(NONE, NONE);
    assertThat(ServerFigure.serverCurve(machines(one), 1, 2, use -> use.value(Figure.CPU)))
        .containsExactly(0.2, 0.2);
  }

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
  }

  private String machines(String source, String... hosts) throws IOException {
    List<HostSeries> series =
        Stream.of(hosts)
            .map(host -> new HostSeries(host, "shard", true, 4, Map.of(Figure.CPU, new double[1])))
            .toList();
    bundle.hostMetrics = new HostMetrics(source, "", 1, series, List.of());
    ServerMachines machines = ServerMachines.of(BundleReader.read(bundle.write()));
    return machines.known().size() + "/" + machines.expected();
  }

  private String stored(String... hosts) throws IOException {
    return machines(HostMetrics.STORE, hosts);
  }

  private String local(String... hosts) throws IOException {
    return machines(HostMetrics.LOCAL, hosts);
  }

  private void listed(String hosts) {
    bundle.run.add("server_hosts", BundleFixture.list(hosts));
  }

  private static String host(String name, int port) {
    return "{'host':'%s','port':%d,'role':'shard'}".formatted(name, port);
  }

  // How many of the servers' machines have figures: known/expected.

  @Test
  void theListOfTheTargetCounts() throws IOException {
    listed(host("db1", 9100) + "," + host("db2", 9100) + "," + host("db1", 9100));
    assertThat(stored("db1", "db2")).isEqualTo("2/2");
    assertThat(stored("db1")).isEqualTo("1/2");
    assertThat(stored("db1", "db9")).as("another one does not replace it").isEqualTo("2/3");
    assertThat(stored()).isEqualTo("0/0");
  }

  @Test
  void severalExportersBehindOneAddressHaveNamesWithThePort() throws IOException {
    listed(host("db1", 9101) + "," + host("db1", 9102));
    assertThat(stored("db1:9101", "db1:9102")).isEqualTo("2/2");
    assertThat(stored("db1:9101")).isEqualTo("1/2");
  }

  /** The generator's machine has its own name; the target lists another name of it. */
  @Test
  void aLocalMachineMayHaveAnotherNameThanTheTargets() throws IOException {
    listed(host("127.0.0.1", 9100) + "," + host("localhost", 9101));
    assertThat(local("load7")).isEqualTo("1/1");
    listed(host("127.0.0.1", 9100) + "," + host("db2", 9100));
    assertThat(local("load7")).isEqualTo("1/2");
    listed(host("10.9.0.3", 9100) + "," + host("10.9.0.4", 9100));
    assertThat(local("10.9.0.3, 10.9.0.4")).isEqualTo("1/1");
    assertThat(local("10.9.0.3")).isEqualTo("1/2");
  }

  @Test
  void withoutAListTheServersReportsCount() throws IOException {
    assertThat(local("load7")).isEqualTo("1/1");
    bundle.environment.add(
        "server", BundleFixture.parse("{'machines':[{'host':'a'},{'host':'b'},{'host':'c'}]}"));
    assertThat(local("load7")).isEqualTo("1/3");
    assertThat(stored("db1", "db2", "db3", "router")).isEqualTo("4/4");
  }

  private static HostMeans means(double stepSeconds, long toNanos) {
    HostMetrics metrics =
        new HostMetrics(HostMetrics.LOCAL, "", stepSeconds, List.of(HOST), List.of());
    Segment segment = new Segment("hold", "hold", 1, 1, 0, toNanos, toNanos);
    return new HostMeans(metrics, List.of(segment));
  }

  @Test
  void weighsByTime() {
    assertThat(means(1, 1_500_000_000).mean(HOST, Figure.WRITTEN_BYTES))
        .isEqualTo((2 + 0.5 * 4) / 1.5);
  }

  /** These come from a bundle. Without a bound the loop over the intervals has no end. */
  @ParameterizedTest
  @CsvSource({"1, 9200000000000000000", "1e-300, 2000000000"})
  void onlyIntervalsOfTheFileAreVisited(double stepSeconds, long toNanos) {
    assertThat(means(stepSeconds, toNanos).mean(HOST, Figure.WRITTEN_BYTES)).isNaN();
  }

  private static JsonObject timeline(double step, double width, double end) {
    Map<Figure, double[]> values =
        Map.of(
            Figure.CPU, new double[] {0.1, 0.3, NONE, 0.5, NONE, NONE, 0.123456},
            Figure.READS, new double[] {1, 3, 0, 0, NONE, 4, 4},
            Figure.READ_LATENCY, new double[] {0.008, 0.004, NONE, NONE, NONE, 0.001, 0.003});
    HostSeries host = new HostSeries("db1", "primary", true, 4, values);
    HostMetrics metrics = new HostMetrics(HostMetrics.LOCAL, "", step, List.of(host), List.of());
    return HostTimeline.toJson(metrics, width, end);
  }

  private static String figure(JsonObject timeline, Figure figure) {
    JsonObject host = Json.array(timeline, "machines").get(0).getAsJsonObject();
    return Json.array(Json.object(host, "figures"), figure.key()).toString();
  }

  // The machines over time, in buckets that a page can draw.

  /** (0.008 + 3 * 0.004) / 4 = 0.005. Mutations: NaN as 0; latencies weighed by time. */
  @Test
  void poolsWholeIntervals() {
    JsonObject timeline = timeline(1, 2, 7);
    assertThat(Json.array(timeline, "edges").toString()).isEqualTo("[0.0,2.0,4.0,6.0,7.0]");
    assertThat(figure(timeline, Figure.CPU)).isEqualTo("[0.2,0.5,null,0.1235]");
    assertThat(figure(timeline, Figure.READS)).isEqualTo("[2.0,0.0,4.0,4.0]");
    assertThat(figure(timeline, Figure.READ_LATENCY)).isEqualTo("[0.005,null,0.001,0.003]");
    JsonObject host = Json.array(timeline, "machines").get(0).getAsJsonObject();
    assertThat(Json.object(host, "figures").has(Figure.WRITES.key())).isFalse();
  }

  /** The last two of seven seconds are known. Mutation: a bucket that ends after the run. */
  @Test
  void theLastBucketEndsWithTheRun() {
    JsonObject timeline = timeline(1, 5, 7);
    assertThat(Json.array(timeline, "edges").toString()).isEqualTo("[0.0,5.0,7.0]");
    assertThat(figure(timeline, Figure.READS)).isEqualTo("[1.0,4.0]");
  }

  /** A store that was asked every 15 s has a value per 15 s; a page draws no more than that. */
  @Test
  void aBucketIsAtLeastAnInterval() {
    JsonObject timeline = timeline(15, 1, 40);
    assertThat(Json.array(timeline, "edges").toString()).isEqualTo("[0.0,15.0,30.0,40.0]");
    assertThat(figure(timeline, Figure.CPU)).isEqualTo("[0.1,0.3,null]");
  }
}
