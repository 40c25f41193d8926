package io.shardload.generator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.exposition.Scraped;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole generators whose metrics are scraped while they run. */
@Timeout(120)
class ServedMetricsTest {
  private static final String FIND = "find-by-id-and-filter1";
  private static final List<String> TRANSACTIONS =
      List.of(FIND, "find-by-id-and-filter2", "insert");

  @TempDir Path directory;

  private Path discovery() {
    return directory.resolve("metrics");
  }

  private RunConfig config(int generator, String model, String options, String metrics) {
    String json =
        """
        {"run": {"id": "r", "directory": "%s", "profile": "smoke"},
         "target": {"name": "noop", "driver": "noop", "options": %s},
         "workload": {"name": "document-store", "seed": 1, "data": {"documents": 5000}},
         "mix": {"%s": 50, "%s": 30, "%s": 20},
         "server_hosts": [{"host": "db1.example", "port": 9100, "role": "shard"}],
         "load": {"model": "%s", "arrivals": "poisson", "workers": 8,
                  "generator": %d, "generators": 2,
                  "segments": [{"name": "warm-up", "kind": "warm-up", "seconds": 1,
                                "from_rate": 1000, "to_rate": 1000,
                                "from_workers": 8, "to_workers": 8},
                               {"name": "hold", "kind": "hold", "seconds": 2,
                                "from_rate": 2000, "to_rate": 2000,
                                "from_workers": 8, "to_workers": 8}]}}
        """
            .formatted(
                directory,
                options,
                TRANSACTIONS.get(0),
                TRANSACTIONS.get(1),
                TRANSACTIONS.get(2),
                model,
                generator);
    JsonObject parsed = JsonParser.parseString(json).getAsJsonObject();
    if (!metrics.isEmpty()) {
      parsed.add("metrics", JsonParser.parseString(metrics));
    }
    return RunConfig.read(parsed);
  }

  private String anyPort() {
    return "{\"listen\": \"127.0.0.1\", \"port\": 0, \"discovery\": \"%s\"}".formatted(discovery());
  }

  private String address(int generator) throws IOException {
    Path file = discovery().resolve("r-generator-" + generator + ".json");
    return JsonParser.parseString(Files.readString(file))
        .getAsJsonArray()
        .get(0)
        .getAsJsonObject()
        .getAsJsonArray("targets")
        .get(0)
        .getAsString();
  }

  /** A run from its beginning to its end; returns what a store scrapes last. */
  private Scraped scraped(RunConfig config) throws Exception {
    GeneratorProcess process = GeneratorProcess.open(config, false);
    String address = address(config.load().generator());
    assertThat(Scraped.of(address).sum("shardload_arrivals_started_total")).isZero();
    LoadThreads.run(process, config.load().workers());
    process.end();
    Thread closing = close(process);
    Scraped last = Scraped.of(address);
    closing.join();
    assertThat(discovery()).isEmptyDirectory();
    return last;
  }

  /** Begins to close: returns when it waits for the last scrape, or is over. */
  private static Thread close(GeneratorProcess process) {
    Thread closing = new Thread(process::close);
    closing.start();
    while (closing.getState() != Thread.State.TIMED_WAITING && closing.isAlive()) {
      Thread.onSpinWait();
    }
    return closing;
  }

  /**
   * The last page is that of the whole ledger, warm-up and all. Mutations: close without lingering;
   * count the segment hold only; count due as begun.
   */
  @ParameterizedTest
  @ValueSource(strings = {"open", "closed"})
  void whatIsScrapedLastEqualsTheLedger(String model) throws Exception {
    String options = "{\"service-time\": \"1ms\", \"jitter\": \"3ms\", \"errors-percent\": 5}";
    Scraped scraped = scraped(config(0, model, options, anyPort()));
    Measured ledger = Measured.read(directory.resolve("latencies"), 0);
    JsonObject last = ledger.lastLine();
    assertThat(last.has("metrics_error")).isFalse();
    for (String name : TRANSACTIONS) {
      String transaction = "transaction=\"" + name + "\"";
      long due = total(last.getAsJsonObject("scheduled"), name);
      assertThat(due).isPositive();
      assertThat(scraped.sum("shardload_arrivals_due_total", transaction)).isEqualTo((double) due);
      for (String field : List.of("started", "dropped")) {
        assertThat(scraped.sum("shardload_arrivals_" + field + "_total", transaction))
            .isEqualTo((double) count(ledger, name, field));
      }
      for (String outcome : List.of("done", "missing", "refused", "failed", "unknown")) {
        String label = "outcome=\"" + outcome + "\"";
        assertThat(scraped.sum("shardload_transactions_total", transaction, label))
            .isEqualTo((double) count(ledger, name, outcome));
      }
      assertThat(scraped.sum("shardload_rows_total", transaction))
          .isEqualTo((double) count(ledger, name, "rows"));
      assertThat(scraped.sum("shardload_duration_seconds_count", transaction, "phase=\"service\""))
          .isEqualTo((double) (count(ledger, name, "done") + count(ledger, name, "missing")));
      assertThat(scraped.sum("shardload_duration_seconds_count", transaction, "phase=\"response\""))
          .isEqualTo((double) ledger.total(name + "/response"));
    }
    double errors = scraped.sum("shardload_transactions_total", "outcome=\"failed\"");
    errors += scraped.sum("shardload_transactions_total", "outcome=\"unknown\"");
    assertThat(scraped.sum("shardload_errors_total")).isEqualTo(errors).isPositive();
    assertThat(scraped.values()).hasSizeLessThan(3000);
    assertThat(scraped.values().keySet())
        .allMatch(
            series -> series.contains("run_id=\"r\"") && series.contains("profile=\"smoke\""));
  }

  private static long total(JsonObject scheduled, String name) {
    return scheduled.entrySet().stream()
        .map(segment -> segment.getValue().getAsJsonObject())
        .mapToLong(segment -> segment.has(name) ? segment.get(name).getAsLong() : 0)
        .sum();
  }

  private static long count(Measured ledger, String name, String field) {
    return ledger.countOf("warm-up/" + name + "/" + field)
        + ledger.countOf("hold/" + name + "/" + field);
  }

  /** Mutation: open the endpoint without being told to. */
  @Test
  void withoutTheSectionNothingIsServed() throws Exception {
    RunConfig config = config(0, "open", "{}", "");
    int before = listening();
    try (GeneratorProcess process = GeneratorProcess.open(config, false)) {
      assertThat(process.isOverdue()).isFalse();
      assertThat(listening()).isEqualTo(before);
    }
    RunConfig alone = config(1, "open", "{}", anyPort());
    try (GeneratorProcess process = GeneratorProcess.open(alone, true)) {
      assertThat(process.isOverdue()).isFalse();
      assertThat(listening()).isEqualTo(before);
    }
    assertThat(discovery()).doesNotExist();
  }

  /** TCP sockets of this process that listen. */
  private static int listening() throws IOException {
    List<String> own = new ArrayList<>();
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : files.toList()) {
        if (Files.exists(file, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
          own.add(Files.readSymbolicLink(file).toString());
        }
      }
    }
    int sockets = 0;
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] columns = line.trim().split("\\s+", -1);
        if (columns[3].equals("0A") && own.contains("socket:[" + columns[9] + "]")) {
          sockets++;
        }
      }
    }
    return sockets;
  }

  /** The run goes on to its end and says why. Mutation: let the error out. */
  @Test
  void aPortInUseIsNoReasonToFail() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      RunConfig config =
          config(0, "open", "{}", "{\"listen\": \"127.0.0.1\", \"port\": %d}".formatted(port));
      try (GeneratorProcess process = GeneratorProcess.open(config, false)) {
        LoadThreads.run(process, config.load().workers());
      }
      Measured ledger = Measured.read(directory.resolve("latencies"), 0);
      assertThat(ledger.closed("hold")).isTrue();
      assertThat(ledger.lastLine().get("stop_reason").getAsString()).isEqualTo("schedule");
      assertThat(ledger.lastLine().get("metrics_error").getAsString())
          .isEqualTo("port %d is in use".formatted(port));
    }
  }

  /** Whoever stops a run that only waits for the last scrape does not wait those 15 s. */
  @Test
  @Timeout(14)
  void aStopEndsTheWaitingForTheLastScrape() throws Exception {
    RunConfig config = config(0, "open", "{}", anyPort());
    GeneratorProcess process = GeneratorProcess.open(config, false);
    Scraped.of(address(0));
    process.stop("stop");
    process.end();
    assertThat(Measured.read(directory.resolve("latencies"), 0).lastLine()).isNotNull();
    Thread closing = close(process);
    process.stop("stop");
    closing.join();
  }

  /**
   * On a load host only a port that was given is served, and the controller writes the file.
   * Mutation: write it here as well.
   */
  @Test
  void onALoadHostOnlyAGivenPortIsServed() throws Exception {
    int before = listening();
    try (GeneratorProcess process =
        GeneratorProcess.open(config(0, "open", "{}", anyPort()), false, meeting())) {
      assertThat(process.isOverdue()).isFalse();
      assertThat(listening()).isEqualTo(before);
    }
    int port = freePort();
    String given =
        "{\"listen\": \"0.0.0.0\", \"port\": %d, \"discovery\": \"%s\"}"
            .formatted(port, discovery());
    try (GeneratorProcess process =
        GeneratorProcess.open(config(1, "open", "{}", given), false, meeting())) {
      assertThat(process.isOverdue()).isFalse();
      assertThat(listening()).isEqualTo(before + 1);
      assertThat(discovery()).doesNotExist();
    }
  }

  private static MeetingPoint meeting() {
    return Meetings.shared(MeetingPoint.Lease.UNLIMITED);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
