package io.shardload.driver.mongodb.monitoring;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.monitoring.Sheet;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What servers say of their cluster: members of each other, a router of the shards; and sizes. */
final class ClusterMetrics {
  private ClusterMetrics() {}

  /** The chunks of each shard; none of them on a shard is a value, too. */
  static void addChunks(List<BsonDocument> shards, Map<String, Long> chunks, Sheet sheet) {
    for (BsonDocument shard : shards) {
      String name = Bson.text(shard, "_id");
      sheet.gauge(
          "shardload_mongodb_shard_chunks",
          "Chunks of the database's sharded collections on the shard.",
          chunks.getOrDefault(name, 0L).doubleValue(),
          "shard",
          name);
    }
  }

  /**
   * The sizes on each shard.
   *
   * @param databaseStats of a router: a shard's part is named by its replica set and members
   */
  static void addShardSizes(List<BsonDocument> shards, BsonDocument databaseStats, Sheet sheet) {
    BsonDocument parts = Bson.child(databaseStats, "raw");
    for (BsonDocument shard : shards) {
      for (String members : parts.keySet()) {
        if (set(members).equals(set(Bson.text(shard, "host")))) {
          addSizes(
              "shardload_mongodb_shard_bytes",
              "Size of the database on the shard: documents uncompressed, stored, and indexes.",
              Bson.child(parts, members),
              sheet,
              "shard",
              Bson.text(shard, "_id"));
        }
      }
    }
  }

  /** The sizes on a server that holds the whole database. */
  static void addSizes(BsonDocument databaseStats, Sheet sheet) {
    addSizes(
        "shardload_mongodb_database_bytes",
        "Size of the database: documents uncompressed, stored, and indexes.",
        databaseStats,
        sheet);
  }

  private static void addSizes(
      String name, String help, BsonDocument stats, Sheet sheet, String... labels) {
    Map<String, String> fields =
        Map.of("data", "dataSize", "storage", "storageSize", "index", "indexSize");
    fields.forEach(
        (kind, field) -> {
          if (stats.isNumber(field)) {
            String[] all = new String[labels.length + 2];
            System.arraycopy(labels, 0, all, 2, labels.length);
            all[0] = "kind";
            all[1] = kind;
            sheet.gauge(name, help, stats.getNumber(field).doubleValue(), all);
          }
        });
  }

  /** In {@code set/host:port,host:port} the name before the members. */
  private static String set(String connection) {
    return connection.substring(0, Math.max(0, connection.indexOf('/')));
  }

  /**
   * Migrations by result.
   *
   * @param ended by the word of the change log
   */
  static void addMigrations(Map<String, Long> ended, Sheet sheet) {
    Map.of("committed", Commands.MOVE + "commit", "failed", Commands.MOVE + "error")
        .forEach(
            (result, what) ->
                sheet.counter(
                    "shardload_mongodb_migrations",
                    "Chunk migrations that ended since this monitor started.",
                    ended.getOrDefault(what, 0L).doubleValue(),
                    "result",
                    result));
  }

  static void addBalancer(BsonDocument balancerStatus, Sheet sheet) {
    sheet.gauge(
        "shardload_mongodb_balancer_enabled",
        "Whether the balancer may move chunks.",
        Bson.text(balancerStatus, "mode").equals("full") ? 1 : 0);
    sheet.gauge(
        "shardload_mongodb_balancer_running",
        "Whether a round of the balancer is running.",
        Bson.isTrue(balancerStatus, "inBalancerRound") ? 1 : 0);
  }

  /** The state of a member, by its answer to {@code hello}. */
  static void addMember(BsonDocument hello, Sheet sheet) {
    sheet.gauge(
        "shardload_mongodb_member_info",
        "State of the member in its replica set.",
        1,
        "set",
        Bson.text(hello, "setName"),
        "state",
        state(hello));
  }

  private static String state(BsonDocument hello) {
    if (isPrimary(hello)) {
      return "primary";
    }
    return Bson.isTrue(hello, "secondary") ? "secondary" : "other";
  }

  static boolean isPrimary(BsonDocument hello) {
    return Bson.isTrue(hello, "isWritablePrimary");
  }

  /**
   * How far each member is behind the primary, by the times of their last operations. A member that
   * is down, or has no data, is left out.
   *
   * @param replicaSetStatus of the primary
   */
  static void addLag(BsonDocument replicaSetStatus, Sheet sheet) {
    BsonArray members = replicaSetStatus.getArray("members", new BsonArray());
    double primary = 0;
    for (BsonValue each : members) {
      if (Bson.text(each.asDocument(), "stateStr").equals("PRIMARY")) {
        primary = lastOperationSeconds(each.asDocument());
      }
    }
    for (BsonValue each : members) {
      BsonDocument member = each.asDocument();
      double last = lastOperationSeconds(member);
      if (last > 0 && primary > 0 && !Bson.text(member, "stateStr").equals("PRIMARY")) {
        sheet.gauge(
            "shardload_mongodb_replication_lag_seconds",
            "How far the member's last operation is behind the primary's last operation.",
            Math.max(0, primary - last),
            "set",
            Bson.text(replicaSetStatus, "set"),
            "member",
            Bson.text(member, "name"));
      }
    }
  }

  /** Zero for a member that the primary does not reach, and for an arbiter, which has none. */
  private static double lastOperationSeconds(BsonDocument member) {
    return member.isDateTime("optimeDate") && Bson.number(member, "health", 0) == 1
        ? member.getDateTime("optimeDate").getValue() / 1e3
        : 0;
  }

  /** How far back the oplog reaches; nothing if it is empty. */
  static void addOplog(BsonDocument first, BsonDocument last, Sheet sheet) {
    if (first != null && last != null) {
      sheet.gauge(
          "shardload_mongodb_oplog_window_seconds",
          "Time between the first and the last entry of the oplog.",
          last.getTimestamp("ts").getTime() - first.getTimestamp("ts").getTime());
    }
  }
}
