package io.shardload.driver.mongodb.monitoring;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.monitoring.Sheet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The members' information about each other, and their oplogs. */
final class ReplicationMetrics {
  private static final double MILLIS_PER_SECOND = 1000;

  private ReplicationMetrics() {}

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
        ? member.getDateTime("optimeDate").getValue() / MILLIS_PER_SECOND
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
