package io.shardload.monitoring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Asks the servers at most once a second, for any number of scrapers, and prints in words what a
 * server does not report: once, and again only after a change. Thread-safe.
 */
public final class SparingMonitor implements AutoCloseable {
  private static final long AT_LEAST_NANOS = Duration.ofSeconds(1).toNanos();

  private static final String CONNECTION = "connection";

  private final ServerMonitor monitor;
  private final LongSupplier nanoTime;
  private Map<String, String> reported = Map.of();
  private Readings last;
  private long lastNanos;

  /**
   * @param monitor which this one closes
   */
  public SparingMonitor(ServerMonitor monitor, LongSupplier nanoTime) {
    this.monitor = monitor;
    this.nanoTime = nanoTime;
  }

  /** What the servers reported less than a second ago, or report now. */
  public synchronized Readings read() {
    if (last == null || nanoTime.getAsLong() - lastNanos >= AT_LEAST_NANOS) {
      last = monitor.read();
      lastNanos = nanoTime.getAsLong();
    }
    return last;
  }

  /** Reads, and prints changes of the unreported parts: one line for each reason. */
  public synchronized Readings read(Consumer<String> line) {
    Map<String, String> refused = read().refused();
    Map<String, List<String>> byReason = new TreeMap<>();
    new TreeMap<>(refused)
        .forEach(
            (part, reason) -> {
              if (!reason.equals(reported.get(part))) {
                byReason.computeIfAbsent(reason, r -> new ArrayList<>()).add(part);
              }
            });
    byReason.forEach(
        (reason, parts) ->
            line.accept("warning: not reported: %s: %s".formatted(list(parts), reason)));
    Map<String, String> unknown = new TreeMap<>(reported);
    unknown.keySet().removeIf(part -> !refused.containsKey(connection(part)));
    List<String> again =
        reported.keySet().stream()
            .filter(part -> !refused.containsKey(part) && !unknown.containsKey(part))
            .sorted()
            .toList();
    if (!again.isEmpty()) {
      line.accept("reported again: " + list(again));
    }
    unknown.putAll(refused);
    reported = unknown;
    return last;
  }

  /** The part that is refused where the server of this one does not answer at all. */
  private static String connection(String part) {
    return part.split(" ", 2)[0] + " " + CONNECTION;
  }

  private static String list(List<String> parts) {
    return String.join(", ", parts);
  }

  @Override
  public synchronized void close() {
    monitor.close();
  }
}
