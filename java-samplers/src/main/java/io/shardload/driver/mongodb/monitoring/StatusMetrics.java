package io.shardload.driver.mongodb.monitoring;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.monitoring.Reading.Kind;
import io.shardload.monitoring.Sheet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * The metrics in {@code serverStatus}, with their fields as MongoDB's manual documents them for 4.4
 * to 8.0. A server that lacks a field, as a router lacks the storage engine's, lacks the metric.
 */
final class StatusMetrics {
  private static final String PREFIX = "shardload_mongodb_";
  private static final String FERRETDB = "shardload_ferretdb_";
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double MIB_PER_BYTE = 1.0 / (1 << 20);

  /**
   * One series of a metric.
   *
   * @param label its name and value, or nothing
   * @param paths the fields that hold the value, by version: the first that exists counts
   */
  private record Series(List<String> label, List<String> paths) {}

  /**
   * One metric.
   *
   * @param divisor the field's units in one unit of the metric
   */
  private record Metric(String name, Kind kind, String help, double divisor, List<Series> series) {
    Metric dividedBy(double units) {
      return new Metric(name, kind, help, units, series);
    }
  }

  private static final List<Metric> METRICS =
      List.of(
          gauge("uptime_seconds", "Time since the server started.", one("uptime")),
          counter(
              "operations",
              "Operations that clients requested; operations that replication applied are"
                  + " not counted.",
              each("operation", "opcounters.", "insert query update delete getmore command")),
          gauge(
              "connections",
              "Incoming connections; active ones run an operation.",
              each("state", "connections.", "current available active")),
          counter(
              "documents",
              "Documents that operations inserted, updated, deleted or returned.",
              each("operation", "metrics.document.", "inserted updated deleted returned")),
          counter(
              "scanned",
              "Index keys and documents that queries examined.",
              labelled("kind", "keys", "metrics.queryExecutor.scanned"),
              labelled("kind", "documents", "metrics.queryExecutor.scannedObjects")),
          counter(
              "write_conflicts",
              "Writes that were retried because of a conflict with another write.",
              one("metrics.operation.writeConflicts")),
          gauge(
              "cache_bytes",
              "WiredTiger's cache: bytes in use, dirty bytes, and configured bytes.",
              labelled("kind", "used", "wiredTiger.cache.bytes currently in the cache"),
              labelled("kind", "dirty", "wiredTiger.cache.tracked dirty bytes in the cache"),
              labelled("kind", "max", "wiredTiger.cache.maximum bytes configured")),
          counter(
              "cache_read_bytes",
              "Bytes read into WiredTiger's cache.",
              one("wiredTiger.cache.bytes read into cache")),
          counter(
              "cache_written_bytes",
              "Bytes written from WiredTiger's cache.",
              one("wiredTiger.cache.bytes written from cache")),
          counter(
              "evicted_pages",
              "Pages evicted from WiredTiger's cache; modified pages were written first.",
              labelled("kind", "modified", "wiredTiger.cache.modified pages evicted"),
              labelled("kind", "unmodified", "wiredTiger.cache.unmodified pages evicted")),
          counter(
                  "checkpoint_seconds",
                  "Time that checkpoints of WiredTiger took, counted when they end.",
                  // From 8.0 on by themselves, until 7.0 with the transactions.
                  one(
                      "wiredTiger.checkpoint.total time (msecs)",
                      "wiredTiger.transaction.transaction checkpoint total time (msecs)"))
              .dividedBy(MILLIS_PER_SECOND),
          gauge(
              "cursors",
              "Cursors that clients hold open; pinned ones are in use by an operation.",
              labelled("state", "open", "metrics.cursor.open.total"),
              labelled("state", "pinned", "metrics.cursor.open.pinned")),
          gauge(
              "tickets",
              "Tickets of the storage engine: in use, available, and total.",
              Stream.of("read", "write").flatMap(StatusMetrics::tickets).toArray(Series[]::new)),
          gauge(
              "queue",
              "Operations that wait for a lock.",
              labelled("mode", "reader", "globalLock.currentQueue.readers"),
              labelled("mode", "writer", "globalLock.currentQueue.writers")),
          latency("latency_seconds", "Time that operations took.", ".latency", MICROS_PER_SECOND),
          latency("latency_operations", "Operations that the latency covers.", ".ops", 1),
          counter(
              "network_bytes",
              "Bytes that the server received and sent.",
              labelled("direction", "received", "network.bytesIn"),
              labelled("direction", "sent", "network.bytesOut")),
          counter(
              "page_faults", "Page faults of the server's process.", one("extra_info.page_faults")),
          counter(
              "asserts",
              "Errors that the server raised; clients caused errors of kind user.",
              each("kind", "asserts.", "regular warning msg user")),
          gauge(
                  "resident_memory_bytes",
                  "Resident memory of the server's process.",
                  one("mem.resident"))
              .dividedBy(MIB_PER_BYTE));

  private StatusMetrics() {}

  /** Adds every metric that the reply holds. */
  static void add(BsonDocument serverStatus, Sheet sheet) {
    for (Metric metric : METRICS) {
      for (Series series : metric.series) {
        BsonValue value = first(serverStatus, series.paths);
        if (value != null) {
          sheet.add(
              metric.kind,
              PREFIX + metric.name,
              metric.help,
              value.asNumber().doubleValue() / metric.divisor,
              series.label.toArray(String[]::new));
        }
      }
    }
  }

  private static BsonValue first(BsonDocument document, List<String> paths) {
    for (String path : paths) {
      BsonValue value = Bson.at(document, path);
      if (value != null && value.isNumber()) {
        return value;
      }
    }
    return null;
  }

  private static Metric gauge(String name, String help, Series... series) {
    return new Metric(name, Kind.GAUGE, help, 1, List.of(series));
  }

  private static Metric counter(String name, String help, Series... series) {
    return new Metric(name, Kind.COUNTER, help, 1, List.of(series));
  }

  private static Metric latency(String name, String help, String field, double divisor) {
    return counter(
            name,
            help,
            labelled("operation", "read", "opLatencies.reads" + field),
            labelled("operation", "write", "opLatencies.writes" + field),
            labelled("operation", "command", "opLatencies.commands" + field))
        .dividedBy(divisor);
  }

  private static Series one(String... paths) {
    return new Series(List.of(), List.of(paths));
  }

  private static Series labelled(String label, String value, String path) {
    return new Series(List.of(label, value), List.of(path));
  }

  /** Series whose labels are the fields' names. */
  private static Series[] each(String label, String prefix, String fields) {
    return Stream.of(fields.split(" ", -1))
        .map(field -> labelled(label, field, prefix + field))
        .toArray(Series[]::new);
  }

  /** Until 7.0 the tickets are the storage engine's, from 8.0 on those of all queues. */
  private static Stream<Series> tickets(String mode) {
    return Stream.of("out", "available", "total")
        .map(
            state -> {
              String field = "." + mode + "." + (state.equals("total") ? "totalTickets" : state);
              return new Series(
                  List.of("mode", mode, "state", state),
                  List.of("queues.execution" + field, "wiredTiger.concurrentTransactions" + field));
            });
  }

  /**
   * What FerretDB reports: its own commands. It has no {@code connections} and no {@code
   * opcounters}. Its {@code dbStats} and {@code collStats} run {@code ANALYZE} on PostgreSQL at
   * every call, so a monitor must not ask for them.
   */
  static void ofFerretdb(BsonDocument serverStatus, Sheet sheet) {
    sheet.gauge(
        FERRETDB + "uptime_seconds",
        "Time since the server started.",
        serverStatus.getNumber("uptime").doubleValue());
    BsonDocument commands = Bson.child(Bson.child(serverStatus, "metrics"), "commands");
    for (String command : commands.keySet()) {
      BsonDocument counts = Bson.child(commands, command);
      long failed = Bson.number(counts, "failed", 0);
      Map.of("done", Bson.number(counts, "total", 0) - failed, "failed", failed)
          .forEach(
              (result, count) ->
                  sheet.counter(
                      FERRETDB + "commands",
                      "Commands that clients sent; unknown counts what the server does not know.",
                      (double) count,
                      "command",
                      command,
                      "result",
                      result));
    }
  }
}
