package io.shardload.driver.mariadb;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.jdbc.client.Clients;
import io.shardload.driver.jdbc.client.ConnectionSettings;
import io.shardload.driver.jdbc.client.Outcomes;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.Refusals;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.driver.jdbc.client.pool.PlainSource;
import io.shardload.tls.Contexts;
import io.shardload.tls.Mode;
import io.shardload.workload.CallFailure;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;

/** Connections by MariaDB Connector/J. Thread-safe. */
final class MariadbConnections extends SqlConnections {
  /** A user sees its own clients; each of them holds a lock of its name and number. */
  private static final Clients.Sql LISTED =
      new Clients.Sql(
          "SELECT count(*) FROM information_schema.processlist"
              + " WHERE id <> connection_id() AND is_used_lock(concat(?, ' ', id)) = id",
          "",
          "");

  /** Text as PostgreSQL compares it, and no value that is changed without an error. */
  private static final String SESSION =
      "sql_mode='STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
          + "NO_ENGINE_SUBSTITUTION,NO_BACKSLASH_ESCAPES,ONLY_FULL_GROUP_BY,TIME_ROUND_FRACTIONAL'"
          + ",collation_connection=utf8mb4_nopad_bin,max_statement_time=";

  private final ServerUrl address;
  private final TargetConfig target;

  MariadbConnections(
      ServerUrl address, TargetConfig target, ConnectionSettings settings, Session session) {
    super(address.hosts(), settings, session, new MariadbOutcomes(), LISTED);
    this.address = address;
    this.target = target;
  }

  MariadbConnections inDatabase(String name) {
    return new MariadbConnections(
        new ServerUrl(address.hosts(), name), target, settings(), session());
  }

  void probe() {
    try (Connection connection =
        source(address.hosts(), session().statementTimeout(), false).getConnection()) {
      var server = connection.getMetaData();
      String name = server.getDatabaseProductName() + " " + server.getDatabaseProductVersion();
      int version = server.getDatabaseMajorVersion() * 100 + server.getDatabaseMinorVersion();
      if (!name.startsWith("MariaDB ") || version < 1011) {
        throw new ConfigException(
            ServerUrl.KEY, name + " is not supported; MariaDB is, from 10.11 on");
      }
    } catch (SQLException e) {
      throw refusal(e);
    }
  }

  /**
   * {@inheritDoc} With its pipeline the connector would wait for ever when the server has no room
   * for another prepared statement. No unknown server gets the password in clear text.
   */
  @Override
  protected DataSource source(Hosts to, Duration statementTimeout, boolean anyServer) {
    Properties all = new Properties();
    all.put("user", target.user());
    target.password().ifPresent(secret -> all.put("password", secret));
    all.put("disablePipeline", "true");
    all.put("useServerPrepStmts", "true");
    all.put("allowMultiQueries", "true");
    all.put("timezone", "UTC");
    all.put("connectTimeout", "" + settings().connectTimeout().toMillis());
    all.put("socketTimeout", "" + ConnectionSettings.socketTimeoutSeconds(statementTimeout) * 1000);
    all.put("tcpKeepAlive", "" + settings().tcpKeepalive());
    all.put("sessionVariables", SESSION + BigDecimal.valueOf(statementTimeout.toMillis(), 3));
    all.put("sslMode", mode() == Mode.REQUIRE ? "trust" : mode().word());
    if (!settings().tls().rootCertificate().isEmpty()) {
      var unused = Contexts.of(mode(), settings().tls()); // Names a file that cannot be read.
      all.put("serverSslCert", settings().tls().rootCertificate());
    }
    if (!address.hosts().local() && !mode().verifies()) {
      all.put("restrictedAuth", "mysql_native_password,client_ed25519,parsec");
    }
    boolean any = anyServer || !toFirst() || to.size() == 1;
    return PlainSource.ofFirst(to, host -> open(host, all, any));
  }

  /** The server's list of clients has no name of an application, so each client holds a lock. */
  private Connection open(Hosts.Host host, Properties all, boolean any) throws SQLException {
    String url = "jdbc:mariadb://%s/%s".formatted(host, address.database());
    Connection connection = new org.mariadb.jdbc.Driver().connect(url, (Properties) all.clone());
    try (Statement statement = connection.createStatement()) {
      if (!any && Queries.holds(statement, "SELECT concat(@@read_only) NOT IN ('0', 'OFF')")) {
        throw new SQLException(host + " takes no writes: read_only is on", "08004");
      }
      String name = session().applicationName().replace("'", "''");
      statement.execute("DO GET_LOCK(CONCAT('%s ', CONNECTION_ID()), 0)".formatted(name));
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  protected String hostOf(Connection connection) throws SQLException {
    var host = connection.unwrap(org.mariadb.jdbc.Connection.class).getClient().getHostAddress();
    return host.host + ":" + host.port;
  }

  @Override
  public Map<String, String> describe() {
    Map<String, String> all = super.describe();
    all.put("connector-j", org.mariadb.jdbc.util.VersionFactory.getInstance().getVersion());
    return all;
  }

  @Override
  protected ConfigException refusal(SQLException e) {
    String line = outcomes().connectLine(e);
    return Refusals.encryption(e, "ssl not enabled", address.hosts(), settings().tls())
        .orElseGet(
            () ->
                switch (e.getErrorCode()) {
                  case 1045, 1698 -> Refusals.password(target.user(), mode());
                  case 1044, 1820, 4151 -> new ConfigException("target.user", line);
                  default -> Refusals.connection(address.hosts(), line);
                });
  }

  /**
   * MariaDB's errors, by their numbers: SQLSTATE is HY000 for many. An error packet excludes the
   * effect of its statement, also after {@code max_statement_time} and KILL QUERY; that of a COMMIT
   * only if it ends the transaction. A lost connection excludes nothing, and is not used again.
   */
  private static final class MariadbOutcomes extends Outcomes {
    private static final Set<Integer> REFUSE_COMMIT = Set.of(1213, 1205, 1020, 1290);
    private static final Set<Integer> AGAIN =
        Set.of(1213, 1205, 1020, 1969, 1317, 1040, 1203, 1226);

    @Override
    protected String ownKind(SQLException e) {
      return switch (e.getErrorCode()) {
        case 1062 -> CallFailure.DUPLICATE_KEY;
        case 1213 -> "deadlock";
        case 1205 -> "lock-timeout";
        case 1020 -> "serialization-failure";
        case 1969 -> "timeout";
        case 1317 -> "killed";
        case 1290, 1792, 1836 -> "read-only";
        case 1040, 1203, 1226 -> TOO_MANY_CONNECTIONS;
        case 1021, 1114 -> "disk-full";
        case 1037, 1038, 1041 -> "out-of-memory";
        default -> "";
      };
    }

    @Override
    protected boolean refused(SQLException e) {
      return e.getErrorCode() > 0;
    }

    @Override
    protected boolean again(SQLException e) {
      return AGAIN.contains(e.getErrorCode());
    }

    @Override
    protected boolean lost(SQLException e) {
      return super.lost(e) || e.getErrorCode() == 1927; // KILL CONNECTION
    }

    @Override
    protected boolean refusesCommit(SQLException e) {
      return REFUSE_COMMIT.contains(e.getErrorCode());
    }
  }
}
