package io.shardload.results;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.SessionsFile;
import io.shardload.bundle.SessionsFile.Moment;
import io.shardload.bundle.SessionsFile.Server;
import io.shardload.monitoring.LoadSessions.Doing;
import io.shardload.monitoring.Role;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What the sessions of the load did inside the servers, by segment, as means over the reads of
 * sessions.jsonl. Before the load stands what an exchange with a server takes at rest.
 */
final class ServerSessions {
  /** Fewer reads say nothing about a segment. */
  private static final int LEAST_READS = 3;

  /** Sums over the reads of one server in one segment: sessions by {@link Doing} and event. */
  private static final class Sum {
    private final Map<String, Map<String, Double>> byDoing = new HashMap<>();
    private int reads;
    private int exchanges;
    private double roundTripSeconds;
    private Double firstCheckpoints;
    private Double lastCheckpoints;

    void add(Server server) {
      reads++;
      server
          .sessions()
          .forEach(
              (doing, events) ->
                  events.forEach(
                      (event, n) ->
                          byDoing
                              .computeIfAbsent(doing, key -> new TreeMap<>())
                              .merge(event, n, Double::sum)));
      if (server.roundTripSeconds() != null) {
        exchanges++;
        roundTripSeconds += server.roundTripSeconds();
      }
      if (server.checkpoints() != null) {
        firstCheckpoints = firstCheckpoints == null ? server.checkpoints() : firstCheckpoints;
        lastCheckpoints = server.checkpoints();
      }
    }

    Means means(String server) {
      Map<Doing, Double> doing = new TreeMap<>();
      for (Doing each : Doing.values()) {
        double sessions =
            byDoing.getOrDefault(each.label(), Map.of()).values().stream()
                .mapToDouble(n -> n)
                .sum();
        doing.put(each, sessions / reads);
      }
      return new Means(
          server,
          doing,
          exchanges == 0 ? Double.NaN : roundTripSeconds / exchanges,
          firstCheckpoints == null ? 0 : Math.round(lastCheckpoints - firstCheckpoints));
    }

    String commonest(Doing doing) {
      return byDoing.getOrDefault(doing.label(), Map.of()).entrySet().stream()
          .max(Map.Entry.comparingByValue(Comparator.naturalOrder()))
          .map(Map.Entry::getKey)
          .orElse("");
    }
  }

  /**
   * Means of one server.
   *
   * @param doing sessions by what they did
   * @param checkpoints that it ended meanwhile
   */
  record Means(String server, Map<Doing, Double> doing, double roundTripSeconds, long checkpoints) {
    double of(Doing what) {
      return doing.getOrDefault(what, 0.0);
    }

    double all() {
      return doing.values().stream().mapToDouble(n -> n).sum();
    }

    /** Those for which the server works, or which wait in it. */
    double inside() {
      return all() - of(Doing.IDLE) - of(Doing.TRANSACTION);
    }
  }

  private final Map<String, Map<String, Sum>> entries = new HashMap<>();
  private final Map<String, Map<String, Sum>> workers = new HashMap<>();
  private final Sum atRest = new Sum();
  private String unknown = "the servers did not report any";

  /** Reads the file of a bundle, if it has one. */
  static ServerSessions read(Bundle bundle, Segments segments) {
    ServerSessions sessions = new ServerSessions();
    OptionalLong start = start(bundle);
    if (start.isEmpty()) {
      return sessions;
    }
    try {
      SessionsFile.read(
          new BundleLayout(bundle.directory()).sessions(),
          moment -> sessions.add(moment, moment.epochMillis() - start.getAsLong(), segments));
      return sessions;
    } catch (IOException | RuntimeException e) {
      // These figures are not part of the measurement, and a bundle may come from anywhere.
      ServerSessions none = new ServerSessions();
      none.unknown = "sessions.jsonl cannot be read";
      return none;
    }
  }

  private static OptionalLong start(Bundle bundle) {
    GeneratorLog merged = bundle.merged();
    if (merged != null && merged.end() != null && merged.end().startEpochMillis() > 0) {
      return OptionalLong.of(merged.end().startEpochMillis());
    }
    return bundle.generators().stream()
        .filter(generator -> generator.end() != null)
        .mapToLong(generator -> generator.end().startEpochMillis())
        .min();
  }

  private void add(Moment moment, long millis, Segments segments) {
    if (moment.servers().isEmpty()) {
      unknown = moment.refused().values().stream().findFirst().orElse(unknown);
    }
    String segment =
        segments.all().stream()
            .filter(each -> each.fromNanos() <= millis * 1e6 && millis * 1e6 < each.toNanos())
            .map(Segment::name)
            .findFirst()
            .orElse("");
    moment
        .servers()
        .forEach(
            (name, server) -> {
              if (millis < 0) {
                atRest.add(server);
              } else if (!segment.isEmpty()) {
                (isBehind(server.role()) ? workers : entries)
                    .computeIfAbsent(segment, key -> new TreeMap<>())
                    .computeIfAbsent(name, key -> new Sum())
                    .add(server);
              }
            });
  }

  private static boolean isBehind(String role) {
    return role.equals(Role.WORKER.label()) || role.equals(Role.SHARD.label());
  }

  /** Why nothing is known. */
  String unknown() {
    return unknown;
  }

  /** The servers that the load is connected to; empty if too little is known about the segment. */
  List<Means> entries(Segment segment) {
    List<Means> found = means(entries, segment);
    return found.stream().mapToDouble(Means::all).sum() > 0 ? found : List.of();
  }

  /** The servers behind them; empty if there are none, or too little is known. */
  List<Means> workers(Segment segment) {
    return means(workers, segment);
  }

  private static List<Means> means(Map<String, Map<String, Sum>> all, Segment segment) {
    return all.getOrDefault(segment.name(), Map.of()).entrySet().stream()
        .filter(each -> each.getValue().reads >= LEAST_READS)
        .map(each -> each.getValue().means(each.getKey()))
        .toList();
  }

  /** The servers' word for what most of those sessions waited for; may be empty. */
  String event(Segment segment, Doing doing) {
    return List.of(workers, entries).stream()
        .flatMap(all -> all.getOrDefault(segment.name(), Map.of()).values().stream())
        .map(sum -> sum.commonest(doing))
        .filter(event -> !event.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Of an exchange before the load; NaN if not known. */
  double roundTripAtRestSeconds() {
    return atRest.exchanges == 0 ? Double.NaN : atRest.roundTripSeconds / atRest.exchanges;
  }
}
