package io.shardload.exposition;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.monitoring.Reading;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MetricsEndpointTest {
  private static final String LOOPBACK = "127.0.0.1";
  private static final Map<String, String> COMMON = Map.of("target", "citus");
  private static final List<Reading> READINGS =
      List.of(
          Reading.counter(
              "shardload_postgresql_wal_bytes", "WAL.", Map.of("server", "db1:5432"), 12),
          Reading.gauge("shardload_server_up", "Up.", Map.of("server", "db1:5432"), 1),
          Reading.gauge("shardload_server_up", "Up.", Map.of("server", "db\"2"), 0),
          Reading.counter(
              "shardload_postgresql_wal_bytes", "WAL.", Map.of("server", "db2:5432"), 0.5));

  private static final Duration AT_MOST = Duration.ofSeconds(15);

  private final AtomicLong now = new AtomicLong();
  private final MetricsEndpoint.Scrapers scrapers = new MetricsEndpoint.Scrapers(now::get);

  private static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);
  // No process can listen there.
  private static final String NOBODY = "127.0.0.1:0";

  @TempDir Path folder;

  @Test
  void readingsAreServedAsText() throws Exception {
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS)) {
      HttpResponse<String> page = get(endpoint.port(), "/metrics", "text/plain");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
      assertThat(Scraped.plain(page.body()).lines())
          .containsExactly(
              "# HELP shardload_postgresql_wal_bytes_total WAL.",
              "# TYPE shardload_postgresql_wal_bytes_total counter",
              "shardload_postgresql_wal_bytes_total{server=\"db1:5432\",target=\"citus\"} 12",
              "shardload_postgresql_wal_bytes_total{server=\"db2:5432\",target=\"citus\"} 0.5",
              "# HELP shardload_server_up Up.",
              "# TYPE shardload_server_up gauge",
              // In the order of their labels.
              "shardload_server_up{server=\"db\\\"2\",target=\"citus\"} 0",
              "shardload_server_up{server=\"db1:5432\",target=\"citus\"} 1");
    }
  }

  @Test
  void whoAcceptsProtobufGetsWhatThereIs() throws Exception {
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS)) {
      String protobuf =
          "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;q=0.9,text/plain;q=0.5";
      HttpResponse<String> text = get(endpoint.port(), "/metrics", protobuf);
      assertThat(text.statusCode()).isEqualTo(200);
      assertThat(text.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    }
  }

  /** Mutation: no limits of the JDK's server; the scrape then waits for ever. */
  @Test
  void clientsThatSendHalfARequestDoNotBlockTheOthers() throws Exception {
    List<Socket> stuck = new ArrayList<>();
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS)) {
      for (int i = 0; i < 5; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
        stuck.add(socket);
        socket.getOutputStream().write("GET /me".getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(get(endpoint.port(), "/metrics", "*/*").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : stuck) {
        socket.close();
      }
    }
  }

  @Test
  void otherPathsAreRefused() throws Exception {
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS)) {
      HttpResponse<String> answer = get(endpoint.port(), "/metric", "*/*");
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("/metrics");
    }
  }

  @Test
  void aMetricThatContradictsItselfIsLeftOut() throws Exception {
    List<Reading> readings =
        List.of(
            Reading.gauge("a", "A.", Map.of(), 1),
            Reading.counter("b", "B.", Map.of("x", "1"), 1),
            Reading.gauge("b", "B.", Map.of("x", "2"), 1),
            Reading.gauge("c", "Twice the same.", Map.of(), 1),
            Reading.gauge("c", "Twice the same.", Map.of(), 2),
            Reading.gauge("d", "Not a number.", Map.of(), Double.NaN));
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, Map.of(), () -> readings)) {
      assertThat(Scraped.page(endpoint.address()))
          .isEqualTo("# HELP a A.\n# TYPE a gauge\na{} 1\n");
    }
  }

  @Test
  void aFailureIsAnsweredAndTheNextScrapeIsServed() throws Exception {
    int[] calls = {0};
    try (MetricsEndpoint endpoint =
        MetricsEndpoint.open(
            LOOPBACK,
            0,
            COMMON,
            () -> {
              if (calls[0]++ == 0) {
                throw new IllegalStateException("the cluster is gone");
              }
              return READINGS;
            })) {
      HttpResponse<String> failed = get(endpoint.port(), "/metrics", "*/*");
      assertThat(failed.statusCode()).isEqualTo(500);
      assertThat(failed.body()).contains("the cluster is gone");
      assertThat(get(endpoint.port(), "/metrics", "*/*").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whereItCannotListenIsSaidInOneLine() {
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS)) {
      assertRefused(LOOPBACK, endpoint.port(), "port %d is in use".formatted(endpoint.port()));
    }
    assertRefused(
        "192.0.2.1", 0, "192.0.2.1 is not an address of this machine; its addresses are ");
    assertRefused("no.such.host.invalid", 0, "unknown host name no.such.host.invalid");
  }

  private static void assertRefused(String host, int port, String message) {
    assertThatThrownBy(() -> MetricsEndpoint.open(host, port, COMMON, () -> READINGS))
        .isInstanceOfSatisfying(
            ConfigException.class, e -> assertThat(e.key()).isEqualTo("target.metrics.listen"))
        .hasMessageStartingWith(message)
        .hasMessageNotContaining("\n");
  }

  @Test
  @Timeout(120)
  void itLingersForWhoScraped() throws Exception {
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS)) {
      // Nobody scraped: this would take an hour.
      endpoint.awaitLastScrape(Duration.ofHours(1));
      get(endpoint.port(), "/metrics", "*/*");
      Thread waiting;
      do {
        // A scrape has its answer before it counts as made: until then nobody is waited for.
        waiting = new Thread(() -> endpoint.awaitLastScrape(Duration.ofHours(1)));
        waiting.start();
        while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
          Thread.sleep(1);
        }
      } while (!waiting.isAlive());
      get(endpoint.port(), "/metrics", "*/*");
      waiting.join();
    }
  }

  @Test
  void whatIsClosedDoesNotListen() throws Exception {
    MetricsEndpoint endpoint = MetricsEndpoint.open(LOOPBACK, 0, COMMON, () -> READINGS);
    int port = endpoint.port();
    assertThat(endpoint.address()).isEqualTo(LOOPBACK + ":" + port);
    endpoint.close();
    endpoint.close();
    assertThatThrownBy(() -> get(port, "/metrics", "*/*")).isInstanceOf(ConnectException.class);
  }

  private static HttpResponse<String> get(int port, String path, String accept)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Accept", accept)
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void whoScrapedDuringTheLastMinuteIsAwaited() throws Exception {
    scrape("vmagent");
    scrape("prometheus");
    now.set(Duration.ofSeconds(60).toNanos());
    CompletableFuture<Boolean> waiting = await();
    // Begun before the call, whenever it ends.
    scrapers.ended("vmagent", now.get() - 1);
    now.incrementAndGet();
    scrape("vmagent");
    assertThat(waiting.isDone()).isFalse();
    scrape("prometheus");
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void whoStayedAwayForLongerIsNot() throws Exception {
    scrape("curl");
    now.set(Duration.ofSeconds(60).toNanos() + 1);
    assertThat(scrapers.awaitOneEach(AT_MOST)).isTrue();
  }

  @Test
  void itEndsWhoeverStaysAway() throws Exception {
    scrape("vmagent");
    now.set(Duration.ofSeconds(1).toNanos());
    CompletableFuture<Boolean> waiting = await();
    now.addAndGet(AT_MOST.toNanos() - 1);
    assertThat(waiting.isDone()).isFalse();
    now.addAndGet(1);
    assertThat(waiting.get()).isFalse();
  }

  @Test
  void itEndsWhenItIsGivenUp() throws Exception {
    scrape("vmagent");
    scrapers.stopWaiting();
    now.set(1);
    CompletableFuture<Boolean> waiting = await();
    assertThat(waiting.isDone()).isFalse();
    scrapers.stopWaiting();
    assertThat(waiting.get()).isFalse();
  }

  /** Mutation: no limit, or names as long as they come. */
  @Test
  void clientsThatCallThemselvesOtherwiseEachTimeDoNotFillTheHeap() throws Exception {
    for (int i = 0; i < 1000; i++) {
      scrape("agent " + i + "x".repeat(10_000));
    }
    assertThat(scrapers.known()).isEqualTo(32);
    scrape("prometheus");
    now.set(Duration.ofMinutes(3).toNanos());
    scrape("prometheus");
    assertThat(scrapers.known()).isEqualTo(1);
    now.incrementAndGet();
    CompletableFuture<Boolean> waiting = await();
    scrape("prometheus");
    assertThat(waiting.get()).isTrue();
  }

  private void scrape(String scraper) {
    scrapers.ended(scraper, scrapers.begun());
  }

  /** Begins to wait: from now on the clock may move. */
  private CompletableFuture<Boolean> await() throws InterruptedException, ExecutionException {
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                result.complete(scrapers.awaitOneEach(AT_MOST));
              } catch (InterruptedException e) {
                result.completeExceptionally(e);
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return result;
  }

  @Test
  void whatARunLeftIsRemovedAndNothingElse() throws IOException {
    for (String name : List.of("r1-generator-0", "r1-controller", "r1-generator-12")) {
      write(name, NOBODY, NOW);
    }
    write("r1-2-controller", NOBODY, NOW);
    write("r1-mine", NOBODY, NOW);
    new DiscoveryFolder(folder).removeRun("r1");
    assertThat(names()).containsExactlyInAnyOrder("r1-2-controller.json", "r1-mine.json");
  }

  @Test
  void oldFilesAreRemovedWhereNobodyListens() throws IOException {
    try (ServerSocket longRun = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      write("long-controller", "127.0.0.1:" + longRun.getLocalPort(), NOW.minusSeconds(10));
      write("dead-generator-0", NOBODY, NOW.minusSeconds(10));
      write("young-controller", NOBODY, NOW.plusSeconds(10));
      write("somebody-else", NOBODY, NOW.minusSeconds(10));
      Files.writeString(folder.resolve("torn-controller.json"), "[{");
      age("torn-controller", NOW.minusSeconds(10));
      new DiscoveryFolder(folder).removeOlderThan(NOW);
      assertThat(names())
          .containsExactlyInAnyOrder(
              "long-controller.json", "young-controller.json", "somebody-else.json");
    }
  }

  @Test
  void noFolderIsNoFailure() {
    DiscoveryFolder none = new DiscoveryFolder(folder.resolve("none"));
    none.removeRun("r1");
    none.removeOlderThan(NOW);
    assertThat(folder).isEmptyDirectory();
  }

  private void write(String name, String address, Instant time) throws IOException {
    DiscoveryFile.write(folder, name + ".json", address);
    age(name, time);
  }

  private void age(String name, Instant time) throws IOException {
    Files.setLastModifiedTime(folder.resolve(name + ".json"), FileTime.from(time));
  }

  private List<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void itIsThereUntilItIsClosed() throws Exception {
    Path directory = folder.resolve(".shardload").resolve("metrics");
    DiscoveryFile file = DiscoveryFile.write(directory, "r1-generator-0.json", "127.0.0.1:41233");
    assertThat(directory.resolve("r1-generator-0.json"))
        .hasContent(
            "[{\"targets\":[\"127.0.0.1:41233\"],"
                + "\"labels\":{\"job\":\"shardload\",\"source\":\"live\"}}]");
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
    file.close();
    file.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
    Path taken = Files.createFile(folder.resolve("metrics"));
    assertThat(refusalOf(() -> DiscoveryFile.write(taken, "a.json", "127.0.0.1:1")))
        .hasMessageStartingWith("cannot write " + taken.resolve("a.json"));
  }
}
