package io.shardload.driver.mongodb.monitoring;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.monitoring.Sheet;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What servers say of their cluster: members of each other, a router of the shards; and sizes. */
record ClusterMetrics(Sheet sheet) {
  private static final String SIZE = ": documents uncompressed, stored, and indexes.";

  private void gauge(String name, String help, double value, String... labels) {
    sheet.gauge("shardload_mongodb_" + name, help, value, labels);
  }

  /** The chunks of each shard; none of them on a shard is a value, too. */
  void addChunks(List<Shard> shards, Map<String, Long> chunks) {
    String help = "Chunks of the database's sharded collections on the shard.";
    for (Shard shard : shards) {
      double count = chunks.getOrDefault(shard.name(), 0L);
      gauge("shard_chunks", help, count, "shard", shard.name());
    }
  }

  /**
   * The sizes on each shard.
   *
   * @param databaseStats of a router: a shard's part is named by its replica set and members
   */
  void addShardSizes(List<Shard> shards, BsonDocument databaseStats) {
    String help = "Size of the database on the shard" + SIZE;
    for (Shard shard : shards) {
      Bson.child(databaseStats, "raw")
          .forEach(
              (members, part) -> {
                if (set(members).equals(set(shard.host()))) {
                  addSizes("shard_bytes", help, part.asDocument(), "shard", shard.name());
                }
              });
    }
  }

  /** The sizes on a server that holds the whole database. */
  void addSizes(BsonDocument databaseStats) {
    addSizes("database_bytes", "Size of the database" + SIZE, databaseStats);
  }

  private void addSizes(String name, String help, BsonDocument stats, String... labels) {
    for (String kind : List.of("data", "storage", "index")) {
      if (stats.isNumber(kind + "Size")) {
        String[] all = Arrays.copyOf(labels, labels.length + 2);
        all[labels.length] = "kind";
        all[labels.length + 1] = kind;
        gauge(name, help, stats.getNumber(kind + "Size").doubleValue(), all);
      }
    }
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
  void addMigrations(Map<String, Long> ended) {
    Map.of("committed", Server.MOVE + "commit", "failed", Server.MOVE + "error")
        .forEach(
            (result, what) ->
                sheet.counter(
                    "shardload_mongodb_migrations",
                    "Chunk migrations that ended since this monitor started.",
                    (double) ended.getOrDefault(what, 0L),
                    "result",
                    result));
  }

  void addBalancer(BsonDocument status) {
    boolean enabled = Bson.text(status, "mode").equals("full");
    gauge("balancer_enabled", "Whether the balancer may move chunks.", enabled ? 1 : 0);
    boolean running = Bson.isTrue(status, "inBalancerRound");
    gauge("balancer_running", "Whether a round of the balancer is running.", running ? 1 : 0);
  }

  /** The state of a member, by its answer to {@code hello}. */
  void addMember(BsonDocument hello) {
    String state = Bson.isTrue(hello, "secondary") ? "secondary" : "other";
    gauge(
        "member_info",
        "State of the member in its replica set.",
        1,
        "set",
        Bson.text(hello, "setName"),
        "state",
        Bson.isTrue(hello, "isWritablePrimary") ? "primary" : state);
  }

  /**
   * How far each member is behind the primary, by the times of their last operations. A member that
   * is down, or has no data, is left out.
   */
  void addLag(BsonDocument replicaSetStatus) {
    String set = Bson.text(replicaSetStatus, "set");
    Map<String, Double> others = new TreeMap<>();
    double primary = 0;
    for (BsonValue each : replicaSetStatus.getArray("members", new BsonArray())) {
      BsonDocument member = each.asDocument();
      double last = lastOperationSeconds(member);
      if (Bson.text(member, "stateStr").equals("PRIMARY")) {
        primary = last;
      } else if (last > 0) {
        others.put(Bson.text(member, "name"), last);
      }
    }
    if (primary == 0) {
      return;
    }
    String help = "How far the member's last operation is behind the primary's last operation.";
    for (Map.Entry<String, Double> other : others.entrySet()) {
      double lag = Math.max(0, primary - other.getValue());
      gauge("replication_lag_seconds", help, lag, "set", set, "member", other.getKey());
    }
  }

  /** Zero for a member that the primary does not reach, and for an arbiter, which has none. */
  private static double lastOperationSeconds(BsonDocument member) {
    return member.isDateTime("optimeDate") && Bson.number(member, "health", 0) == 1
        ? member.getDateTime("optimeDate").getValue() / 1e3
        : 0;
  }

  /** How far back the oplog reaches; nothing if it is empty. */
  void addOplog(BsonDocument first, BsonDocument last) {
    if (first != null && last != null) {
      gauge(
          "oplog_window_seconds",
          "Time between the first and the last entry of the oplog.",
          last.getTimestamp("ts").getTime() - first.getTimestamp("ts").getTime());
    }
  }
}
