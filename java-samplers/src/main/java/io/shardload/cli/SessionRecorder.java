package io.shardload.cli;

import io.shardload.Daemons;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.SessionsFile;
import io.shardload.bundle.SessionsFile.Moment;
import io.shardload.bundle.SessionsFile.Server;
import io.shardload.config.ConfigException;
import io.shardload.generator.RunConfig;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.ServerMonitor;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Writes into the bundle of a run, once a second, what the sessions of its load do inside the
 * servers. The measurement does not depend on it: whatever goes wrong is written down and fails
 * nothing.
 */
final class SessionRecorder implements AutoCloseable {
  private static final long EVERY_MILLIS = 1000;

  // By the clock that does not step, as the generators count their time.
  private final long beginMillis = System.currentTimeMillis();
  private final long beginNanos = System.nanoTime();
  private final RunConfig config;
  private final Consumer<Moment> also;
  private final Thread thread;

  private SessionRecorder(RunConfig config, Consumer<Moment> also) {
    this.config = config;
    this.also = also;
    this.thread = Daemons.start(this::record, "shardload-sessions");
  }

  /**
   * Begins to record; null where the target wants none.
   *
   * @param also receives what is written
   */
  static SessionRecorder start(RunConfig config, Consumer<Moment> also) {
    return config.watchesSessions() ? new SessionRecorder(config, also) : null;
  }

  private void record() {
    var file = new BundleLayout(config.directory()).sessions();
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      try {
        record(out);
      } catch (ConfigException e) {
        write(out, new Readings(List.of(), Map.of("sessions", e.getMessage())));
      } catch (InterruptedException e) {
        // The load is over.
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e); // The end of this thread, in the log of the child.
    }
  }

  private void record(BufferedWriter out) throws IOException, InterruptedException {
    Optional<ServerMonitor> opened =
        config.driver().sessions(config.target(), config.session().applicationName());
    if (opened.isEmpty()) {
      String reason = config.target().driver() + " does not report what sessions wait for";
      write(out, new Readings(List.of(), Map.of("sessions", reason)));
      return;
    }
    try (ServerMonitor monitor = opened.get()) {
      while (!Thread.currentThread().isInterrupted()) {
        long next = nowMillis() + EVERY_MILLIS;
        write(out, monitor.read());
        Thread.sleep(Math.max(1, next - nowMillis()));
      }
    }
  }

  private long nowMillis() {
    return beginMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos);
  }

  private void write(BufferedWriter out, Readings readings) throws IOException {
    Moment moment = moment(nowMillis(), readings);
    SessionsFile.append(moment, out);
    out.flush();
    also.accept(moment);
  }

  private static Moment moment(long epochMillis, Readings readings) {
    Map<String, List<Reading>> byServer =
        readings.all().stream()
            .filter(LoadSessions::isOne)
            .collect(Collectors.groupingBy(reading -> label(reading, "server")));
    Map<String, Server> servers = new TreeMap<>();
    byServer.forEach((name, all) -> servers.put(name, server(all)));
    return new Moment(epochMillis, servers, readings.refused());
  }

  private static Server server(List<Reading> readings) {
    Map<String, Map<String, Double>> sessions = new TreeMap<>();
    Double roundTripSeconds = null;
    Double checkpoints = null;
    for (Reading reading : readings) {
      switch (reading.name()) {
        case LoadSessions.NAME ->
            sessions
                .computeIfAbsent(label(reading, "doing"), key -> new TreeMap<>())
                .merge(label(reading, "event"), reading.value(), Double::sum);
        case LoadSessions.ROUND_TRIP -> roundTripSeconds = reading.value();
        default -> checkpoints = reading.value() + (checkpoints == null ? 0 : checkpoints);
      }
    }
    return new Server(label(readings.get(0), "role"), sessions, roundTripSeconds, checkpoints);
  }

  private static String label(Reading reading, String name) {
    return reading.labels().getOrDefault(name, "");
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(EVERY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
