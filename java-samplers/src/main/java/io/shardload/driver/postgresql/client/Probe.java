package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.Hosts.Host;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.jdbc.client.ConnectionSettings.Balance;
import io.shardload.driver.jdbc.client.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;

/** Finds problems of a target before anything starts; each refusal is one clear line. */
record Probe(
    ServerUrl address,
    String user,
    Settings settings,
    Session session,
    BiFunction<Hosts, Boolean, DataSource> sources) {
  private static final int OLDEST = 14;
  private static final int NEWEST = 18;
  private static final String TIMEOUT_MILLIS =
      "SELECT setting FROM pg_settings WHERE name = 'statement_timeout'";
  private static final String IN_RECOVERY = "SELECT pg_is_in_recovery()";

  // A pgbouncer that keeps account of prepared statements gives them names of its own.
  private static final String RENAMED =
      "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'PGBOUNCER%'";
  private static final String DUPLICATE_PREPARED_STATEMENT = "42P05";

  /** Connects once and looks around. */
  void run() {
    Hosts hosts = address.hosts();
    try (Connection connection = sources.apply(hosts, false).getConnection()) {
      int major = connection.getMetaData().getDatabaseMajorVersion();
      if (major < OLDEST || major > NEWEST) {
        throw new ConfigException(
            "target.url",
            "PostgreSQL %d is not supported; supported versions are %d to %d"
                .formatted(major, OLDEST, NEWEST));
      }
      if (settings.pgbouncer()) {
        checkPrepared(connection);
      } else {
        checkTimeout(connection);
      }
    } catch (SQLException e) {
      refuseStandbysAlone();
      throw Refusal.of(e, address, user, settings.shared().tls());
    }
    if (settings.replicaReads()) {
      replicas();
    } else if (settings.shared().balance() != Balance.FIRST) {
      refuseStandbys();
    } else if (hosts.size() == 1) {
      refuseStandbysAlone();
    }
  }

  /** The hosts that are replicas; at least one. */
  Hosts replicas() {
    List<Host> replicas = new ArrayList<>();
    for (Hosts host : address.hosts().each()) {
      try {
        if (isReplica(host)) {
          replicas.addAll(host.all());
        }
      } catch (SQLException e) {
        throw Refusal.of(e, address, user, settings.shared().tls());
      }
    }
    if (replicas.isEmpty()) {
      throw new ConfigException(
          "target.options.reads", "none of " + address.hosts() + " is a replica");
    }
    return new Hosts(replicas);
  }

  /** If no host is a primary, the name of a standby is more helpful than a missing connection. */
  private void refuseStandbysAlone() {
    for (Hosts host : address.hosts().each()) {
      try {
        if (isReplica(host)) {
          throw new ConfigException(
              "target.url",
              "names no primary that answers: %s is a standby, which accepts no writes and may lag behind"
                  .formatted(host));
        }
      } catch (SQLException e) {
        // Down: the refusal of the first connection says why.
      }
    }
  }

  /** A replica would refuse its share of the writes. */
  private void refuseStandbys() {
    for (Hosts host : settings.shared().transactionHosts(address.hosts()).each()) {
      try {
        if (isReplica(host)) {
          throw new ConfigException(
              "target.options.balance",
              "sends writes to %s, which is a standby: remove this host from target.url, or set 'reads: replicas' instead of 'balance'"
                  .formatted(host));
        }
      } catch (SQLException e) {
        // Down: the others make up for it, or opening the pool reports the reason.
      }
    }
  }

  private boolean isReplica(Hosts host) throws SQLException {
    try (Connection connection = sources.apply(host, true).getConnection();
        Statement statement = connection.createStatement()) {
      return Queries.text(statement, IN_RECOVERY).equals("t");
    }
  }

  /**
   * A pgbouncer that is configured to ignore login parameters would leave statements without a time
   * limit.
   */
  private void checkTimeout(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String asked = "" + session.statementTimeout().toMillis();
      if (!Queries.text(statement, TIMEOUT_MILLIS).equals(asked)) {
        throw new ConfigException(
            "target.options.pooler",
            address.hosts()
                + " ignores the statement timeout set at login; if it is a pgbouncer, set"
                + " 'pooler: pgbouncer'");
      }
    }
  }

  private void checkPrepared(Connection connection) throws SQLException {
    if (settings.simple()) {
      return;
    }
    boolean renamed = false;
    // In one transaction, and so on one connection of the server.
    connection.setAutoCommit(false);
    try (PreparedStatement statement = connection.prepareStatement(RENAMED);
        ResultSet row = statement.executeQuery()) {
      row.next();
      renamed = row.getLong(1) > 0;
    } catch (SQLException e) {
      if (!DUPLICATE_PREPARED_STATEMENT.equals(e.getSQLState())) {
        throw e;
      }
    }
    if (!renamed) {
      // The transaction stays open, so that pgbouncer gives the server's connection up when this
      // one
      // closes: it would keep the statement's name for its next client.
      throw new ConfigException(
          "target.options.statements",
          "'prepared' needs pgbouncer 1.21 or later with max_prepared_statements set;"
              + " this pgbouncer does not track prepared statements: set 'statements:"
              + " simple'");
    }
    connection.commit();
  }
}
