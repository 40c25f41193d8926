package io.shardload.driver.postgresql.client;

import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.Session;
import io.shardload.driver.postgresql.client.pool.Admission;
import io.shardload.driver.postgresql.client.pool.FilledPool;
import io.shardload.driver.postgresql.client.pool.SpreadSource;
import io.shardload.driver.postgresql.client.pool.SpreadSource.Route;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * Where connections come from: for transactions from the pool or a new one per transaction, for
 * everything else always a new one. Thread-safe.
 */
public final class Connections implements AutoCloseable {
  /** How much longer than the server the client waits before it abandons a connection. */
  private static final Duration SOCKET_GRACE = Duration.ofSeconds(5);

  private static final Logger LOG = Logger.getLogger(Connections.class.getName());

  private final Address address;
  private final String user;
  private final Optional<String> password;
  private final ServerSource servers;
  private final Settings settings;
  private final Session session;
  private final String schema;
  private final Probe probe;
  private final List<SpreadSource> spreads = new CopyOnWriteArrayList<>();
  private final List<FilledPool> pools = new ArrayList<>();
  private volatile Admission admission = anywhere -> {};
  private DataSource forTransactions;
  private DataSource forFinds;

  public Connections(
      Address address, String user, Optional<String> password, Settings settings, Session session) {
    this(address, user, password, settings, session, "");
  }

  private Connections(
      Address address,
      String user,
      Optional<String> password,
      Settings settings,
      Session session,
      String schema) {
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
            (hosts, serverType) -> source(hosts, session.statementTimeout(), serverType));
  }

  /** Sets what decides where transactions may go after a failover; before they are asked for. */
  public void admit(Admission decision) {
    admission = decision;
  }

  /** The same, but tables are looked up and created in this schema of the database. */
  public Connections inSchema(String name) {
    if (settings.pgbouncer()) {
      throw new ConfigException(
          "target.options.pooler", "a second schema needs 'pooler: none': a direct connection");
    }
    return new Connections(address, user, password, settings, session, name);
  }

  /** What transactions take their connections from; opened, and filled, on the first request. */
  public synchronized DataSource forTransactions() {
    if (forTransactions == null) {
      forTransactions =
          open(settings.transactionHosts(address.hosts()), settings.serverType(address.hosts()));
    }
    return forTransactions;
  }

  /** What finds take theirs from: the same, unless they go to replicas. */
  public synchronized DataSource forFinds() {
    if (forFinds == null) {
      forFinds =
          settings.replicaReads() ? open(probe.replicas(), Settings.ANY_SERVER) : forTransactions();
    }
    return forFinds;
  }

  private DataSource open(Hosts hosts, String serverType) {
    boolean inTurn = settings.balance() != Settings.Balance.FIRST || !hosts.equals(address.hosts());
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < (inTurn ? hosts.size() : 1); i++) {
      Hosts host = hosts.each().get(i);
      routes.add(
          new Route(
              host.toString(),
              source(hosts.from(i), session.statementTimeout(), serverType),
              source(host, session.statementTimeout(), serverType)));
    }
    // In turn the hosts change all the time; only from one to the next it is a failover.
    SpreadSource spread =
        new SpreadSource(routes, inTurn ? anywhere -> {} : host -> admission.check(host));
    spreads.add(spread);
    if (settings.perTransaction()) {
      return spread;
    }
    try {
      FilledPool pool =
          FilledPool.open(
              spread, settings.poolSizeFor(session.workers()), settings.connectTimeout());
      pools.add(pool);
      LOG.info(() -> "connections by host: " + spread.byHost());
      return pool;
    } catch (PoolInitializationException e) {
      throw e.getCause() instanceof SQLException cause
          ? Refusal.of(cause, address, user, settings.tls())
          : e;
    }
  }

  /** A connection of its own for schema, the data set's record and questions to the server. */
  public Connection administrative() throws CallFailure {
    return connect(own(session.statementTimeout()));
  }

  /**
   * A connection of its own for what takes as long as the data is large: load, count, walk, making
   * and dropping tables and indexes.
   */
  public Connection unlimited() throws CallFailure {
    return connect(own(Duration.ZERO));
  }

  /**
   * One connection to each host of the URL, primary or not: a failover moves transactions.
   *
   * @param unreached takes the hosts that are down, unless all are
   */
  public List<Connection> toEveryHost(Collection<String> unreached) throws CallFailure {
    List<Connection> all = new ArrayList<>();
    for (Hosts host : address.hosts().each()) {
      try {
        all.add(to(host));
      } catch (SQLException e) {
        unreached.add(host.toString());
        if (unreached.size() == address.hosts().size()) {
          throw Failures.ofConnect(e);
        }
      }
    }
    return all;
  }

  /** How many hosts transactions go to at a time. */
  public int hostsAtOnce() {
    return settings.hostsAtOnce(address.hosts());
  }

  /** The hosts that are replicas; at least one. */
  public Hosts replicas() {
    return probe.replicas();
  }

  /** A connection of its own to a host, whether that is a primary or a replica. */
  public Connection to(Hosts host) throws SQLException {
    return source(host, session.statementTimeout(), Settings.ANY_SERVER).getConnection();
  }

  /**
   * A connection of its own, without a timeout, on which the server describes statements: by the
   * extended protocol, whatever the target's mode. pgjdbc names a statement when it is asked for
   * its columns; without a cache it closes the name before the transaction ends, so that no name is
   * in the way of the next client of a pgbouncer.
   */
  public Connection describing() throws CallFailure {
    PGSimpleDataSource source = own(Duration.ZERO);
    source.setPreferQueryMode(PreferQueryMode.EXTENDED);
    source.setPrepareThreshold(0);
    source.setPreparedStatementCacheQueries(0);
    return connect(source);
  }

  private PGSimpleDataSource own(Duration statementTimeout) {
    return source(address.hosts(), statementTimeout, settings.serverType(address.hosts()));
  }

  private static Connection connect(DataSource source) throws CallFailure {
    try {
      return source.getConnection();
    } catch (SQLException e) {
      throw Failures.ofConnect(e);
    }
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
    if (settings.pgbouncer() || settings.balance() != Settings.Balance.FIRST) {
      return;
    }
    int size =
        settings.perTransaction() ? session.workers() : settings.poolSizeFor(session.workers());
    String key = settings.poolSize() > 0 ? "target.options.pool-size" : "load.workers";
    try (Connection connection = administrative()) {
      ConnectionLimits.check(connection, session, size, key);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  /** Whether these are the connections of a run's controller, which makes no calls. */
  public boolean controlling() {
    return session.controller();
  }

  /** What the connections call themselves on the server. */
  public String applicationName() {
    return session.applicationName();
  }

  /** Connections for transactions that were opened so far. */
  public Map<String, Long> byHost() {
    Map<String, Long> all = new TreeMap<>();
    for (SpreadSource spread : spreads) {
      spread.byHost().forEach((host, count) -> all.merge(host, count, Long::sum));
    }
    return all;
  }

  /** Effective settings for the run bundle. */
  public Map<String, String> describe() {
    return EffectiveSettings.of(settings, session, address.hosts());
  }

  @Override
  public synchronized void close() {
    pools.forEach(FilledPool::close);
  }

  private PGSimpleDataSource source(Hosts hosts, Duration statementTimeout, String serverType) {
    PGSimpleDataSource source =
        servers.source(hosts, session.applicationName(), settings.connectTimeout());
    source.setTargetServerType(serverType);
    if (!settings.pgbouncer()) {
      source.setOptions(
          "-c statement_timeout="
              + statementTimeout.toMillis()
              + (schema.isEmpty() ? "" : " -c search_path=" + schema));
    }
    source.setSocketTimeout(socketTimeoutSeconds(statementTimeout));
    if (settings.simple()) {
      source.setPreferQueryMode(PreferQueryMode.SIMPLE);
    } else {
      // pgjdbc's default would parse the statement again for its first four uses per connection.
      source.setPrepareThreshold(1);
    }
    return source;
  }

  /**
   * Seconds after which the client has a statement cancelled, or 0 where the server does it by
   * itself. A pgbouncer takes no options at login, and SET would cost a round trip or stick to a
   * connection that others use; a cancel costs a timer in the client.
   */
  public int cancelAfterSeconds() {
    return settings.pgbouncer() ? ServerSource.ceilSeconds(session.statementTimeout()) : 0;
  }

  static int socketTimeoutSeconds(Duration statementTimeout) {
    return statementTimeout.isZero()
        ? 0
        : ServerSource.ceilSeconds(statementTimeout.plus(SOCKET_GRACE));
  }
}
