package io.shardload.driver.postgresql.facts;

import io.shardload.driver.Hosts;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How far the replicas that serve finds are behind the primary. */
public record Replicas(Connections connections) {
  private static final long LOOK_EVERY_MILLIS = 50;

  private static final String WRITTEN = "SELECT pg_current_wal_lsn()";

  // Replayed, not received: a find sees nothing else. It is null once the replica was promoted.
  private static final String BEHIND =
      "SELECT greatest(0, pg_wal_lsn_diff('%s', pg_last_wal_replay_lsn()))::bigint";

  /**
   * Waits for one replica after the other until it has replayed all that was written before the
   * call. It waits as long as the replica's lag shrinks.
   *
   * @param patience it gives up a replica whose lag has not shrunk for this time
   * @return what is known of those that have not, in words; empty if all have
   */
  public String await(Duration patience) throws CallFailure {
    String awaited;
    try (Connection primary = connections.administrative();
        Statement statement = primary.createStatement()) {
      awaited = BEHIND.formatted(Queries.text(statement, WRITTEN));
    } catch (SQLException e) {
      return doesNotTell("the primary", e);
    }
    List<String> late = new ArrayList<>();
    for (Hosts host : connections.replicas().each()) {
      try (Connection replica = connections.to(host);
          Statement statement = replica.createStatement()) {
        long behind = await(statement, awaited, patience);
        if (behind > 0) {
          late.add(
              "replica %s is %d bytes of WAL behind the primary, and its lag no longer shrinks"
                  .formatted(host, behind));
        }
      } catch (SQLException e) {
        late.add(doesNotTell("replica " + host, e));
      }
    }
    return String.join("; ", late);
  }

  /** A server that only speaks the protocol may have no WAL. */
  private static String doesNotTell(String who, SQLException e) {
    return "%s does not report its WAL position: %s".formatted(who, Failures.firstLine(e));
  }

  /** Bytes that are still missing, or 0. */
  private static long await(Statement replica, String awaited, Duration patience)
      throws SQLException {
    long least = Long.MAX_VALUE;
    long deadline = 0;
    while (true) {
      long behind = Long.parseLong(Queries.text(replica, awaited));
      if (behind == 0) {
        return 0;
      }
      if (behind < least) {
        least = behind;
        deadline = System.nanoTime() + patience.toNanos();
      } else if (System.nanoTime() > deadline) {
        return behind;
      }
      try {
        Thread.sleep(LOOK_EVERY_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return behind;
      }
    }
  }
}
