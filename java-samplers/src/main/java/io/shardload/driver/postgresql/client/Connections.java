package io.shardload.driver.postgresql.client;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.jdbc.client.Clients;
import io.shardload.driver.jdbc.client.ConnectionSettings;
import io.shardload.driver.jdbc.client.ConnectionSettings.Balance;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/** Connections by pgjdbc. Thread-safe. */
public final class Connections extends SqlConnections {
  // Idle sessions count, too: a connected client may write again. A killed client's backend
  // vanishes when its statement ends.
  private static final String CONNECTED =
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE application_name = ? AND pid <> pg_backend_pid()
      """;

  private static final String END_IDLE =
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = ? AND pid <> pg_backend_pid() AND state = 'idle'
      """;

  private static final String OTHERS =
      """
      SELECT application_name FROM pg_stat_activity
      WHERE datname = current_database() AND application_name ~ ? AND application_name <> ?
      """;

  private static final String FIRST = " ORDER BY 1 LIMIT 1";
  private static final Clients.Sql LISTED = new Clients.Sql(CONNECTED, END_IDLE, OTHERS + FIRST);

  /**
   * The server's connections outlive their clients and keep their names: only statements and
   * transactions under way count, and a client that pauses is not seen. Others use idle ones.
   */
  private static final Clients.Sql BEHIND_POOLER =
      new Clients.Sql(
          CONNECTED + " AND state <> 'idle'", "", OTHERS + " AND state <> 'idle'" + FIRST);

  private final ServerUrl address;
  private final String user;
  private final Optional<String> password;
  private final ServerSource servers;
  private final Settings settings;
  private final Session session;
  private final String schema;
  private final Probe probe;
  private DataSource forFinds;

  public Connections(
      ServerUrl address,
      String user,
      Optional<String> password,
      Settings settings,
      Session session) {
    this(address, user, password, settings, session, "");
  }

  private Connections(
      ServerUrl address,
      String user,
      Optional<String> password,
      Settings settings,
      Session session,
      String schema) {
    super(
        address.hosts(),
        settings.shared(),
        session,
        Failures.OUTCOMES,
        settings.pgbouncer() ? BEHIND_POOLER : LISTED);
    this.address = address;
    this.user = user;
    this.password = password;
    this.servers = new ServerSource(address.database(), user, password, settings);
    this.settings = settings;
    this.session = session;
    this.schema = schema;
    this.probe =
        new Probe(
            address,
            user,
            settings,
            session,
            (hosts, anyServer) -> source(hosts, session.statementTimeout(), anyServer));
  }

  /** The same, but tables are looked up and created in this schema of the database. */
  public Connections inSchema(String name) {
    if (settings.pgbouncer()) {
      throw new ConfigException(
          "target.options.pooler", "a second schema needs 'pooler: none': a direct connection");
    }
    return new Connections(address, user, password, settings, session, name);
  }

  /** {@inheritDoc} The same, unless they go to replicas. */
  @Override
  public synchronized DataSource forFinds() {
    if (forFinds == null) {
      forFinds = settings.replicaReads() ? open(probe.replicas(), true) : forTransactions();
    }
    return forFinds;
  }

  /** The hosts that are replicas; at least one. */
  public Hosts replicas() {
    return probe.replicas();
  }

  /**
   * {@inheritDoc} By the extended protocol, whatever the target's mode. pgjdbc names a statement
   * when it is asked for its columns; without a cache it closes the name before the transaction
   * ends, so that no name is in the way of the next client of a pgbouncer.
   */
  @Override
  public Connection describing() throws CallFailure {
    return describing(Duration.ZERO);
  }

  @Override
  public Connection explaining() throws CallFailure {
    return describing(session.statementTimeout());
  }

  private Connection describing(Duration statementTimeout) throws CallFailure {
    PGSimpleDataSource source = source(address.hosts(), statementTimeout, false);
    source.setPreferQueryMode(PreferQueryMode.EXTENDED);
    source.setPrepareThreshold(0);
    source.setPreparedStatementCacheQueries(0);
    return connect(source);
  }

  /** Connects once, so that what is wrong with the target is found before anything starts. */
  public void probe() {
    probe.run();
  }

  /**
   * Refuses more connections than the server has left. A pgbouncer has limits of its own, and where
   * transactions go to several hosts the share of each is not known before.
   */
  public void checkLimits() throws CallFailure {
    if (settings.pgbouncer() || settings.shared().balance() != Balance.FIRST) {
      return;
    }
    String key = settings.shared().poolSize() > 0 ? "target.options.pool-size" : "load.workers";
    try (Connection connection = administrative()) {
      ConnectionLimits.check(connection, session, needed(), key);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public Map<String, String> describe() {
    Map<String, String> all = super.describe();
    all.put("statements", settings.simple() ? "simple" : "prepared");
    all.put("reads", settings.replicaReads() ? "replicas" : "primary");
    all.put("pooler", settings.pgbouncer() ? "pgbouncer" : "none");
    all.put("pgjdbc", org.postgresql.util.DriverInfo.DRIVER_VERSION);
    return all;
  }

  @Override
  protected PGSimpleDataSource source(Hosts hosts, Duration statementTimeout, boolean anyServer) {
    PGSimpleDataSource source =
        servers.source(hosts, session.applicationName(), settings.shared().connectTimeout());
    source.setTargetServerType(settings.serverType(address.hosts(), anyServer));
    if (!settings.pgbouncer()) {
      source.setOptions(
          "-c statement_timeout="
              + statementTimeout.toMillis()
              + (schema.isEmpty() ? "" : " -c search_path=" + schema));
    }
    source.setSocketTimeout(ConnectionSettings.socketTimeoutSeconds(statementTimeout));
    if (settings.simple()) {
      source.setPreferQueryMode(PreferQueryMode.SIMPLE);
    } else {
      // pgjdbc's default would parse the statement again for its first four uses per connection.
      source.setPrepareThreshold(1);
    }
    return source;
  }

  @Override
  protected String hostOf(Connection connection) throws SQLException {
    return connection.unwrap(BaseConnection.class).getQueryExecutor().getHostSpec().toString();
  }

  @Override
  protected Class<Failures.OfPool> eviction() {
    return Failures.OfPool.class;
  }

  @Override
  protected ConfigException refusal(SQLException e) {
    return Refusal.of(e, address, user, settings.shared().tls());
  }

  /**
   * {@inheritDoc} A pgbouncer takes no options at login, and SET would cost a round trip or stick
   * to a connection that others use; a cancel costs a timer in the client.
   */
  @Override
  public int cancelAfterSeconds() {
    return settings.pgbouncer() ? ConnectionSettings.ceilSeconds(session.statementTimeout()) : 0;
  }
}
