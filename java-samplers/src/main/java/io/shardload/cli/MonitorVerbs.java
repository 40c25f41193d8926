package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.driver.TargetConfig;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.exposition.MetricsEndpoint;
import io.shardload.generator.RunConfig;
import io.shardload.monitoring.FollowingMonitor;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.monitoring.SparingMonitor;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The verbs that ask the servers of a target about themselves; no data set is touched. */
final class MonitorVerbs implements AutoCloseable {
  private static final String UP = "shardload_server_up";

  private final CountDownLatch ended = new CountDownLatch(1);
  private SparingMonitor monitor;
  private MetricsEndpoint endpoint;

  JsonObject run(String verb, JsonObject request, Listener listener) {
    RunConfig config = RunConfig.read(request.getAsJsonObject("config"));
    return verb.equals("server-hosts") ? hosts(config) : serve(config, request, listener);
  }

  /** Serves until the conversation ends; what the servers do not report is noted meanwhile. */
  private JsonObject serve(RunConfig config, JsonObject request, Listener listener) {
    String target = config.target().name();
    monitor = new SparingMonitor(monitor(config, request), System::nanoTime);
    int servers = monitor.read().all().stream().filter(r -> r.name().equals(UP)).toList().size();
    try {
      endpoint =
          MetricsEndpoint.open(
              request.get("host").getAsString(),
              request.get("port").getAsInt(),
              Map.of("target", target),
              () -> monitor.read(listener::note).all());
    } catch (ConfigException e) {
      throw new ConfigException("", "--listen: " + e.getMessage());
    }
    listener.note(
        "serving http://%s/metrics for %s (%s)"
            .formatted(endpoint.address(), target, number(servers)));
    monitor.read(listener::note);
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new JsonObject();
  }

  private static String number(int servers) {
    return switch (servers) {
      case 0 -> "no server yet";
      case 1 -> "1 server";
      default -> servers + " servers";
    };
  }

  private static ServerMonitor monitor(RunConfig config, JsonObject request) {
    TargetConfig target = config.target();
    EmbeddedServers.checkMonitored(target.embedded());
    if (!target.embedded().equals(EmbeddedPostgres.NAME)) {
      return config.driver().monitor(target);
    }
    Path data = Path.of(request.get("data_directory").getAsString());
    return new FollowingMonitor(
        () -> EmbeddedServers.running(data),
        url -> config.driver().monitor(EmbeddedServers.attach(target, data, url)),
        "the embedded server is not running; \"shardload run\" or \"shardload load\" starts it");
  }

  /** Empty where there is no server, or one that is started only when needed. */
  private static JsonObject hosts(RunConfig config) {
    TargetConfig target = config.target();
    JsonObject ok = new JsonObject();
    if (!target.embedded().isEmpty() || config.driver().hosts(target.url()).isEmpty()) {
      ok.add("hosts", new JsonArray());
      return ok;
    }
    try (ServerMonitor monitor = config.driver().monitor(target)) {
      ok.add("hosts", new Gson().toJsonTree(monitor.hosts().stream().map(Host::of).toList()));
    }
    return ok;
  }

  private record Host(String host, int port, String role) {
    static Host of(ServerHost host) {
      return new Host(host.host(), host.port(), host.role().label());
    }
  }

  @Override
  public void close() {
    ended.countDown();
    if (endpoint != null) {
      endpoint.close();
    }
    if (monitor != null) {
      monitor.close();
    }
  }
}
