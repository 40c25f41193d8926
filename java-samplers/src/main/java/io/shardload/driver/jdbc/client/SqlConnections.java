package io.shardload.driver.jdbc.client;

import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts;
import io.shardload.driver.Session;
import io.shardload.driver.jdbc.client.ConnectionSettings.Balance;
import io.shardload.driver.jdbc.client.pool.Admission;
import io.shardload.driver.jdbc.client.pool.Eviction;
import io.shardload.driver.jdbc.client.pool.FilledPool;
import io.shardload.driver.jdbc.client.pool.SpreadSource;
import io.shardload.driver.jdbc.client.pool.SpreadSource.Route;
import io.shardload.tls.Mode;
import io.shardload.workload.CallFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Where connections come from: for transactions from the pool or a new one per transaction, for
 * everything else always a new one. Thread-safe.
 */
public abstract class SqlConnections implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(SqlConnections.class.getName());

  private final Hosts hosts;
  private final ConnectionSettings settings;
  private final Session session;
  private final Outcomes outcomes;
  private final Clients clients;
  private final List<SpreadSource> spreads = new CopyOnWriteArrayList<>();
  private final List<FilledPool> pools = new ArrayList<>();
  private volatile Admission admission = anywhere -> {};
  private DataSource forTransactions;

  protected SqlConnections(
      Hosts hosts,
      ConnectionSettings settings,
      Session session,
      Outcomes outcomes,
      Clients.Sql clients) {
    this.hosts = hosts;
    this.settings = settings;
    this.session = session;
    this.outcomes = outcomes;
    this.clients = new Clients(this, clients);
  }

  /**
   * A source of connections to the first of the hosts that answers.
   *
   * @param statementTimeout zero for none
   * @param anyServer whether one that takes no writes will do
   */
  protected abstract DataSource source(Hosts to, Duration statementTimeout, boolean anyServer);

  /** The host that a connection really leads to, as {@code name:port}. */
  protected abstract String hostOf(Connection connection) throws SQLException;

  protected final ConnectionSettings settings() {
    return settings;
  }

  /** How connections are encrypted. */
  protected final Mode mode() {
    return settings.tls().mode(hosts.local());
  }

  protected final Session session() {
    return session;
  }

  /** Which errors end a connection of the pool. */
  protected Class<? extends Eviction> eviction() {
    return Eviction.class;
  }

  /** Why the first connection was refused, as a finding about the target. */
  protected abstract ConfigException refusal(SQLException e);

  /** Sets what decides where transactions may go after a failover; before they are asked for. */
  public final void admit(Admission decision) {
    admission = decision;
  }

  /** What transactions take their connections from; opened, and filled, on the first request. */
  public final synchronized DataSource forTransactions() {
    if (forTransactions == null) {
      forTransactions = open(settings.transactionHosts(hosts), false);
    }
    return forTransactions;
  }

  /** What transactions that only read take theirs from. */
  public DataSource forFinds() {
    return forTransactions();
  }

  /** Opens what transactions to these hosts take their connections from. */
  protected final DataSource open(Hosts to, boolean anyServer) {
    boolean inTurn = settings.balance() != Balance.FIRST || !to.equals(hosts);
    List<Route> routes = new ArrayList<>();
    for (int i = 0; i < (inTurn ? to.size() : 1); i++) {
      Hosts host = to.each().get(i);
      routes.add(
          new Route(
              host.toString(),
              source(to.from(i), session.statementTimeout(), anyServer),
              source(host, session.statementTimeout(), anyServer)));
    }
    // In turn the hosts change all the time; only from one to the next it is a failover.
    SpreadSource spread =
        new SpreadSource(
            routes, this::hostOf, inTurn ? anywhere -> {} : host -> admission.check(host));
    spreads.add(spread);
    if (settings.perTransaction()) {
      return spread;
    }
    try {
      FilledPool pool =
          FilledPool.open(
              spread,
              settings.poolSizeFor(session.workers()),
              settings.connectTimeout(),
              eviction(),
              e -> outcomes.connect(e).kind().equals(Outcomes.TOO_MANY_CONNECTIONS));
      pools.add(pool);
      LOG.info(() -> "connections by host: " + spread.byHost());
      return pool;
    } catch (PoolInitializationException e) {
      throw e.getCause() instanceof SQLException cause ? refusal(cause) : e;
    }
  }

  /** A connection of its own for schema, the data set's record and questions to the server. */
  public final Connection administrative() throws CallFailure {
    return connect(own(session.statementTimeout()));
  }

  /**
   * A connection of its own for what takes as long as the data is large: load, count, walk, making
   * and dropping tables and indexes.
   */
  public final Connection unlimited() throws CallFailure {
    return connect(own(Duration.ZERO));
  }

  /** A connection of its own, without a timeout, on which the server describes statements. */
  public Connection describing() throws CallFailure {
    return unlimited();
  }

  /** The same with a timeout, for plans: a table that somebody has locked delays no run. */
  public Connection explaining() throws CallFailure {
    return connect(own(session.statementTimeout()));
  }

  private DataSource own(Duration statementTimeout) {
    return source(hosts, statementTimeout, false);
  }

  protected final Connection connect(DataSource source) throws CallFailure {
    try {
      return source.getConnection();
    } catch (SQLException e) {
      throw outcomes.connect(e);
    }
  }

  /** What a statement of a connection is used for. */
  @FunctionalInterface
  public interface Work<T> {
    T with(Statement statement) throws SQLException, CallFailure;
  }

  /** Uses a connection and closes it. */
  public final <T> T use(Connection opened, Work<T> work) throws CallFailure {
    try (Connection connection = opened;
        Statement statement = connection.createStatement()) {
      return work.with(statement);
    } catch (SQLException e) {
      throw outcomes.statement(e);
    }
  }

  /**
   * One connection to each host of the URL, whether it takes writes or not: a failover moves
   * transactions.
   *
   * @param unreached takes the hosts that are down, unless all are
   */
  public final List<Connection> toEveryHost(Collection<String> unreached) throws CallFailure {
    List<Connection> all = new ArrayList<>();
    for (Hosts host : hosts.each()) {
      try {
        all.add(to(host));
      } catch (SQLException e) {
        unreached.add(host.toString());
        if (unreached.size() == hosts.size()) {
          throw outcomes.connect(e);
        }
      }
    }
    return all;
  }

  /** A connection of its own to a host, whether that takes writes or not. */
  public final Connection to(Hosts host) throws SQLException {
    return source(host, session.statementTimeout(), true).getConnection();
  }

  /** The clients that the servers list. */
  public final Clients clients() {
    return clients;
  }

  public final Outcomes outcomes() {
    return outcomes;
  }

  /** Whether transactions go to the first host that takes writes, and so to one at a time. */
  public final boolean toFirst() {
    return settings.balance() == Balance.FIRST;
  }

  /** How many hosts transactions go to at a time. */
  public final int hostsAtOnce() {
    return toFirst() ? 1 : settings.transactionHosts(hosts).size();
  }

  /** Connections that transactions use at the same time. */
  protected final int needed() {
    return settings.perTransaction() ? session.workers() : settings.poolSizeFor(session.workers());
  }

  /** Rows per round trip of statements that only read, or 0 for all at once. */
  public final int fetchSize() {
    return settings.fetchSize();
  }

  /** Seconds after which the client has a statement cancelled, or 0 where the server does it. */
  public int cancelAfterSeconds() {
    return 0;
  }

  /** Whether these are the connections of a run's controller, which makes no calls. */
  public final boolean controlling() {
    return session.controller();
  }

  /** What the connections call themselves on the server. */
  public final String applicationName() {
    return session.applicationName();
  }

  /** Connections for transactions that were opened so far. */
  public final Map<String, Long> byHost() {
    Map<String, Long> all = new TreeMap<>();
    for (SpreadSource spread : spreads) {
      spread.byHost().forEach((host, count) -> all.merge(host, count, Long::sum));
    }
    return all;
  }

  /** Effective settings for the run bundle. */
  public Map<String, String> describe() {
    return settings.describe(session, hosts);
  }

  @Override
  public final synchronized void close() {
    pools.forEach(FilledPool::close);
  }
}
