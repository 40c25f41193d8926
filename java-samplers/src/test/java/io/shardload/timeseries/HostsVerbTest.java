package io.shardload.timeseries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.timeseries.StoreHosts.Limits;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From what a store answers to hosts.json. */
class HostsVerbTest {
  private static final double START = BundleFixture.START_EPOCH_MILLIS / 1000.0;
  private static final int RUN_SECONDS = 60;
  private static final int SCRAPE_SECONDS = 5;
  private static final Pattern RANGE = Pattern.compile("\\[(\\d+)ms]&time=([0-9.]+)&nocache=1$");

  @TempDir Path folder;
  private BundleFixture fixture;

  /** The series of one machine: labels, and from which to which second of the run it is scraped. */
  private record Node(String host, String role, String instance, int from, int to) {
    String labels() {
      return "\"host\":\"%s\",\"role\":\"%s\",\"instance\":\"%s\",\"job\":\"node\""
          .formatted(host, role, instance);
    }
  }

  @BeforeEach
  void aRun() {
    fixture = new BundleFixture(folder);
    BundleFixture.Generator generator = fixture.generator(0);
    for (int second = 0; second < RUN_SECONDS; second++) {
      generator.done(second, "hold", "update", 10);
    }
    generator.endSeconds = RUN_SECONDS;
  }

  private static String series(Node node, String labels, Window window, IntToDoubleFunction at) {
    List<String> samples = new ArrayList<>();
    for (int second = node.from(); second <= node.to(); second += SCRAPE_SECONDS) {
      double time = START + second + 0.25;
      if (time > window.from() && time <= window.to()) {
        samples.add(
            String.format(
                Locale.ROOT, "[%.3f,\"%s\"]", time, at.applyAsDouble(second - node.from())));
      }
    }
    return "{\"metric\":{%s,%s},\"values\":[%s]}"
        .formatted(labels, node.labels(), String.join(",", samples));
  }

  private record Window(double from, double to) {}

  /** Two processors, one busy for 80 %; a disk with 20 reads a second, 3 ms each; 1000 bytes in. */
  private static String counters(Node node, Window window) {
    List<String> all = new ArrayList<>();
    String cpu = "\"__name__\":\"node_cpu_seconds_total\",\"cpu\":\"%d\",\"mode\":\"%s\"";
    all.add(series(node, cpu.formatted(0, "idle"), window, s -> 0.2 * s));
    all.add(series(node, cpu.formatted(1, "idle"), window, s -> 0.9 * s));
    all.add(series(node, cpu.formatted(0, "iowait"), window, s -> 0));
    all.add(series(node, cpu.formatted(1, "iowait"), window, s -> 0.1 * s));
    for (String device : List.of("sda", "sda1", "dm-0")) {
      String disk = "\"__name__\":\"node_disk_%s_total\",\"device\":\"" + device + "\"";
      all.add(series(node, disk.formatted("reads_completed"), window, s -> 20.0 * s));
      all.add(series(node, disk.formatted("read_bytes"), window, s -> 8192.0 * s));
      all.add(series(node, disk.formatted("read_time_seconds"), window, s -> 0.06 * s));
      all.add(series(node, disk.formatted("writes_completed"), window, s -> 0));
      all.add(series(node, disk.formatted("written_bytes"), window, s -> 0));
      all.add(series(node, disk.formatted("write_time_seconds"), window, s -> 0));
      all.add(series(node, disk.formatted("io_time_seconds"), window, s -> 0.04 * s));
    }
    for (String device : List.of("eth0", "lo")) {
      String network = "\"__name__\":\"node_network_%s_bytes_total\",\"device\":\"" + device + "\"";
      all.add(series(node, network.formatted("receive"), window, s -> 1000.0 * s));
      all.add(series(node, network.formatted("transmit"), window, s -> 50.0 * s));
    }
    return String.join(",", all);
  }

  private static FakeStore store(Node... nodes) throws IOException {
    return new FakeStore(exchange -> answer(exchange, nodes));
  }

  private static void answer(HttpExchange exchange, Node... nodes) throws IOException {
    String form =
        URLDecoder.decode(
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
            StandardCharsets.UTF_8);
    Matcher range = RANGE.matcher(form);
    assertThat(range.find()).as(form).isTrue();
    double to = Double.parseDouble(range.group(2));
    Window window = new Window(to - Long.parseLong(range.group(1)) / 1000.0, to);
    List<String> found = new ArrayList<>();
    for (Node node : nodes) {
      if (form.startsWith("query=node_uname_info{target=\"t\"}[")) {
        found.add(series(node, "\"__name__\":\"node_uname_info\"", window, s -> 1));
      } else if (form.contains(
          "target=\"t\",host=\"%s\",instance=\"%s\",job=\"node\"}"
              .formatted(node.host(), node.instance()))) {
        found.add(counters(node, window));
      }
    }
    FakeStore.answer(
        exchange,
        200,
        "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[%s]}}"
            .formatted(String.join(",", found)));
  }

  private JsonObject request() {
    JsonObject request = new JsonObject();
    request.addProperty("directory", folder.toString());
    return request;
  }

  private HostMetrics fetched(String url, Map<String, String> environment) throws IOException {
    JsonObject section =
        fixture.run.has("store") ? fixture.run.getAsJsonObject("store") : new JsonObject();
    section.addProperty("url", url);
    fixture.run.add("store", section);
    fixture.write();
    JsonObject request = request();
    request.add("store", section);
    JsonObject reply = HostsVerb.run(request, Limits.USUAL, environment::get);
    HostMetrics metrics = BundleReader.read(folder).hosts();
    assertThat(reply.getAsJsonArray("missing")).hasSameSizeAs(metrics.missing());
    assertThat(metrics.source()).isEqualTo(HostMetrics.STORE);
    assertThat(metrics.origin()).isEqualTo(url);
    return metrics;
  }

  private HostMetrics fetched(Node... nodes) throws IOException {
    try (FakeStore store = store(nodes)) {
      return fetched(store.url(), Map.of());
    }
  }

  private static Node node(String host, int from, int to) {
    return new Node(host, "shard", host + ":9100", from, to);
  }

  @Test
  void whatTheStoreKnowsIsInTheBundle() throws IOException {
    HostMetrics metrics = fetched(node("db1", -20, 80), node("db2", -20, 80));
    assertThat(metrics.missing()).isEmpty();
    assertThat(metrics.stepSeconds()).isEqualTo(SCRAPE_SECONDS);
    assertThat(metrics.hosts())
        .extracting(HostSeries::name)
        .containsExactly("db1 (shard)", "db2 (shard)");
    HostSeries host = metrics.servers().get(0);
    assertThat(host.cores()).isEqualTo(2);
    Map<Figure, Double> expected =
        Map.of(
            Figure.CPU, 0.4,
            Figure.IO_WAIT, 0.05,
            Figure.READS, 20.0,
            Figure.READ_BYTES, 8192.0,
            Figure.READ_LATENCY, 0.003,
            Figure.WRITES, 0.0,
            Figure.DISK_BUSY, 0.04,
            Figure.RECEIVED_BYTES, 1000.0,
            Figure.SENT_BYTES, 50.0);
    expected.forEach(
        (figure, value) -> {
          assertThat(host.values().get(figure)).as(figure.key()).hasSize(12);
          for (double each : host.values().get(figure)) {
            assertThat(each).as(figure.key()).isCloseTo(value, within(1e-9 + 1e-6 * value));
          }
        });
    assertThat(host.values()).as("there was no write").doesNotContainKey(Figure.WRITE_LATENCY);
  }

  @Test
  void aMachineThatDiesOrAppearsIsAGap() throws IOException {
    HostMetrics metrics = fetched(node("db1", -20, 20), node("db2", 30, 80));
    assertThat(metrics.missing())
        .containsExactly("db1: no samples from 20 s to 60 s", "db2: no samples from 0 s to 30 s");
    assertThat(metrics.hosts().get(0).at(Figure.CPU, 3)).isCloseTo(0.4, within(1e-6));
    assertThat(metrics.hosts().get(0).at(Figure.CPU, 6)).isNaN();
    assertThat(metrics.hosts().get(1).at(Figure.CPU, 3)).isNaN();
    assertThat(metrics.hosts().get(1).at(Figure.CPU, 8)).isCloseTo(0.4, within(1e-6));
  }

  @Test
  void hostsOfTheTargetThatTheStoreDoesNotKnowAreSaid() throws IOException {
    fixture.run.add(
        "server_hosts",
        JsonParser.parseString(
            "[{'host':'db1','port':9100,'role':'shard'},{'host':'db2','port':9100,'role':'router'},"
                + "{'host':'db3','port':9101,'role':'shard'}]"));
    assertThat(fetched(node("db1", -20, 80), node("db3:9101", -20, 80)).missing())
        .containsExactly("db2 (router): the store has no samples for the time of the run");
  }

  @Test
  void machinesAfterAFailureAreNamed() throws IOException {
    Node[] nodes = {node("db1", -20, 80), node("db2", -20, 80), node("db3", -20, 80)};
    AtomicInteger asked = new AtomicInteger();
    try (FakeStore store =
        new FakeStore(
            exchange -> {
              if (asked.incrementAndGet() > 2) {
                FakeStore.answer(exchange, 503, "");
              } else {
                answer(exchange, nodes);
              }
            })) {
      HostMetrics metrics = fetched(store.url(), Map.of());
      assertThat(metrics.hosts()).extracting(HostSeries::host).containsExactly("db1");
      assertThat(metrics.missing())
          .containsExactly(
              "the store at %s answered with status 503; no figures for db2, db3"
                  .formatted(store.url()));
    }
  }

  /** Scrapes are 30 s apart: the next one is due later than anybody waits. */
  @Test
  void aScrapeThatIsDueTooLateIsNotAwaited() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    try (FakeStore store =
        new FakeStore(
            exchange -> {
              String body = FakeStore.answer(exchange, 200, threeScrapes());
              asked.addAndGet(body.contains("node_uname_info") ? 1 : 0);
            })) {
      fixture.write();
      JsonObject section = new JsonObject();
      section.addProperty("url", store.url());
      StoreHosts.read(
          BundleReader.read(folder), section, Limits.USUAL, name -> null, () -> START + 50);
    }
    assertThat(asked).hasValue(1);
  }

  private static String threeScrapes() {
    return String.format(
        Locale.ROOT,
        "{\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"host\":\"db1\","
            + "\"instance\":\"db1:9100\"},\"values\":[[%.3f,\"1\"],[%.3f,\"1\"],[%.3f,\"1\"]]}]}}",
        START - 30,
        START,
        START + 30);
  }

  @Test
  void aStoreWithoutTheMachinesSaysWhatToDo() throws IOException {
    HostMetrics metrics = fetched(node("db1", -200, -100));
    assertThat(metrics.hosts()).isEmpty();
    assertThat(metrics.missing())
        .containsExactly(
            "the store at %s has no machine series with target=\"t\" for the time of the run;"
                    .formatted(metrics.origin())
                + " shardload scrape-config --target t prints the scrape configuration that it"
                + " needs");
  }

  @Test
  void twoExportersOfOneMachineAreNotAdded() throws IOException {
    HostMetrics metrics =
        fetched(node("db1", -20, 80), new Node("db1", "shard", "10.0.0.1:9100", 0, 80));
    assertThat(metrics.missing())
        .containsExactly(
            "db1: the store has its figures from db1:9100 and from 10.0.0.1:9100; shardload uses"
                + " the first");
    assertThat(metrics.hosts().get(0).at(Figure.READS, 5)).isCloseTo(20, within(1e-6));
  }

  @Test
  void aStoreThatRefusesIsOneSentence() throws IOException {
    fixture.run.add("store", JsonParser.parseString("{'token_env':'STORE_TOKEN'}"));
    try (FakeStore store = FakeStore.answering(401, "")) {
      assertThat(fetched(store.url(), Map.of("STORE_TOKEN", "geheim")).missing())
          .containsExactly(
              "the store at %s does not accept the token (401)".formatted(store.url()));
      assertThat(fetched(store.url(), Map.of()).missing())
          .containsExactly("the environment variable STORE_TOKEN is not set");
    }
    assertNoFileHas("geheim");
  }

  @Test
  void aRefusedPasswordIsInNoFile() throws IOException {
    fixture.run.add("store", JsonParser.parseString("{'user':'reader','password_env':'STORE'}"));
    try (FakeStore store = FakeStore.answering(403, "")) {
      assertThat(fetched(store.url(), Map.of("STORE", "geheim")).missing())
          .containsExactly(
              "the store at %s does not accept user reader with this password (403)"
                  .formatted(store.url()));
    }
    assertNoFileHas("geheim");
  }

  private void assertNoFileHas(String secret) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(secret);
      }
    }
  }

  @Test
  void aRunWithoutALedgerHasNoTime() throws IOException {
    fixture.generators.clear();
    assertThat(fetched(node("db1", -20, 80)).missing())
        .containsExactly("no generator left a ledger with the times of the run");
  }

  @Test
  void aGeneratorWithoutAFinalLineHasTheTimeOfItsOthers() throws IOException {
    fixture.generator(0).ended = false;
    HostMetrics metrics = fetched(node("db1", -20, 80));
    assertThat(metrics.missing()).isEmpty();
    assertThat(metrics.hosts().get(0).values().get(Figure.CPU)).hasSize(12);
  }

  @Test
  void whereNobodyLooksThereIsNoFile() throws IOException {
    fixture.write();
    assertThat(HostsVerb.run(request()).keySet()).isEmpty();
    assertThat(new BundleLayout(folder).hosts()).doesNotExist();
  }

  @Test
  void aStoreThatOnlyTheBundleNamesIsNotAsked() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    try (FakeStore store = new FakeStore(exchange -> asked.incrementAndGet())) {
      String section = "{'url':'%s','token_env':'PATH'}".formatted(store.url());
      for (String source : List.of("local", "off")) {
        fixture.run.add("store", JsonParser.parseString(section));
        fixture.run.addProperty("host_metrics", source);
        fixture.write();
        HostsVerb.run(request());
      }
    }
    assertThat(asked).hasValue(0);
  }
}
