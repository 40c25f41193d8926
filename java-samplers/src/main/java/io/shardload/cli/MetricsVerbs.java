package io.shardload.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Daemons;
import io.shardload.Version;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.SessionsFile.Moment;
import io.shardload.bundle.json.Json;
import io.shardload.exposition.DiscoveryFile;
import io.shardload.exposition.DiscoveryFolder;
import io.shardload.exposition.MetricsEndpoint;
import io.shardload.exposition.RunReadings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The verbs of the controller's own metrics; one run at a time. */
final class MetricsVerbs implements AutoCloseable {
  private static final Duration STALE = Duration.ofDays(1);

  private final List<DiscoveryFile> files = new ArrayList<>();
  private volatile RunReadings readings;
  private MetricsEndpoint endpoint;

  JsonObject run(String verb, JsonObject request) throws IOException {
    return switch (verb) {
      case "metrics-open" -> open(request);
      case "metrics-started" -> started(request);
      case "metrics-ended" -> ended(request.get("epoch_ms").getAsLong());
      case "metrics-close" -> finish(request);
      default -> throw new IllegalArgumentException("unknown verb " + verb);
    };
  }

  /** Answers the address; any free port, because a given port belongs to the generators. */
  private JsonObject open(JsonObject request) {
    close();
    JsonObject config = request.getAsJsonObject("config");
    Path directory = directory(config);
    removeStale(new DiscoveryFolder(directory));
    try {
      readings = new RunReadings(config, Version.current(), System::currentTimeMillis);
      endpoint =
          MetricsEndpoint.open(
              request.get("listen").getAsString(), 0, RunReadings.labels(config), readings);
      announce(directory, runId(config) + "-controller", endpoint.address());
      announceLoadHosts(config, directory);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    JsonObject ok = new JsonObject();
    ok.addProperty("address", endpoint.address());
    return ok;
  }

  /** In a thread of its own: it contacts hosts that may be switched off. */
  private static void removeStale(DiscoveryFolder folder) {
    Instant before = Instant.now().minus(STALE);
    Daemons.start(() -> folder.removeOlderThan(before), "shardload-stale-files");
  }

  private void announce(Path directory, String name, String address) {
    files.add(DiscoveryFile.write(directory, name + ".json", address));
  }

  /** A local generator announces itself; load hosts cannot, and serve nothing without a port. */
  private void announceLoadHosts(JsonObject config, Path directory) {
    long port = Json.integer(config.getAsJsonObject("metrics"), "port", 0);
    if (port == 0) {
      return;
    }
    int number = 0;
    for (JsonElement engine : Json.array(Json.object(config, "hosts"), "list")) {
      String host = engine.getAsString().replaceFirst(":\\d+$", "");
      announce(directory, runId(config) + "-generator-" + number, host + ":" + port);
      number++;
    }
  }

  /** Also for each change of how long the warm-up is. */
  private JsonObject started(JsonObject request) {
    if (readings != null) {
      readings.started(
          request.get("epoch_ms").getAsLong(), Json.number(request, "prolonged_seconds", 0));
    }
    return new JsonObject();
  }

  private JsonObject ended(long epochMillis) {
    if (readings != null) {
      readings.ended(epochMillis);
    }
    return new JsonObject();
  }

  /** What the sessions of the load do now; a run whose metrics are off serves nothing. */
  void sessions(Moment moment) {
    RunReadings open = readings;
    if (open != null) {
      open.sessions(moment);
    }
  }

  /** What happened to the servers of the run, in the same way. */
  void fault(FaultsFile.Event event) {
    RunReadings open = readings;
    if (open != null) {
      open.fault(event);
    }
  }

  /** Shows the result until it was scraped. A restarted child serves nothing. */
  private JsonObject finish(JsonObject request) throws IOException {
    try {
      if (endpoint != null) {
        linger(endpoint, request);
      }
      return new JsonObject();
    } finally {
      close();
      JsonObject config = request.getAsJsonObject("config");
      new DiscoveryFolder(directory(config)).removeRun(runId(config));
    }
  }

  private void linger(MetricsEndpoint open, JsonObject request) throws IOException {
    Path summary = new BundleLayout(Path.of(request.get("directory").getAsString())).summary();
    if (Files.exists(summary)) {
      readings.judged(JsonParser.parseString(Files.readString(summary)).getAsJsonObject());
    }
    double seconds = request.get("linger_seconds").getAsDouble();
    open.awaitLastScrape(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  private static Path directory(JsonObject config) {
    return Path.of(config.getAsJsonObject("metrics").get("discovery").getAsString());
  }

  private static String runId(JsonObject config) {
    return config.getAsJsonObject("run").get("id").getAsString();
  }

  /** Also during a verb, when the conversation ends. */
  @Override
  public synchronized void close() {
    files.forEach(DiscoveryFile::close);
    files.clear();
    if (endpoint != null) {
      endpoint.close();
      endpoint = null;
    }
  }
}
