package io.shardload.driver.mongodb.monitoring;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.monitoring.Sheet;
import org.bson.BsonDocument;

/**
 * What FerretDB reports in {@code serverStatus}: its own commands. It has no {@code connections}
 * and no {@code opcounters}. Its {@code dbStats} and {@code collStats} run {@code ANALYZE} on
 * PostgreSQL at every call, so a monitor must not ask for them.
 */
final class FerretdbMetrics {
  private static final String PREFIX = "shardload_ferretdb_";

  private FerretdbMetrics() {}

  static void add(BsonDocument serverStatus, Sheet sheet) {
    sheet.gauge(
        PREFIX + "uptime_seconds",
        "Time since the server started.",
        serverStatus.getNumber("uptime").doubleValue());
    BsonDocument commands = Bson.child(Bson.child(serverStatus, "metrics"), "commands");
    for (String command : commands.keySet()) {
      BsonDocument counts = Bson.child(commands, command);
      long failed = Bson.number(counts, "failed", 0);
      addCommand(command, "done", Bson.number(counts, "total", 0) - failed, sheet);
      addCommand(command, "failed", failed, sheet);
    }
  }

  private static void addCommand(String command, String result, long count, Sheet sheet) {
    sheet.counter(
        PREFIX + "commands",
        "Commands that clients sent; unknown counts what the server does not know.",
        (double) count,
        "command",
        command,
        "result",
        result);
  }

  /** Names what is left out. */
  static void lacks(Sheet sheet) {
    sheet.lacks("connections", "FerretDB does not report them");
    sheet.lacks(
        "sizes",
        "FerretDB analyzes its tables for every such request; query its PostgreSQL"
            + " for their sizes");
  }
}
