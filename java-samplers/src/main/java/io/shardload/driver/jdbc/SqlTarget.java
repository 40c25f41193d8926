package io.shardload.driver.jdbc;

import io.shardload.bundle.Durability;
import io.shardload.config.ConfigException;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Scratch;
import io.shardload.driver.Target;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.driver.jdbc.statements.Dialect;
import io.shardload.driver.jdbc.statements.SqlStatementBaseline;
import io.shardload.driver.jdbc.statements.SqlStatementStore;
import io.shardload.driver.jdbc.store.ObjectCatalog;
import io.shardload.driver.jdbc.store.ScratchPlace;
import io.shardload.driver.jdbc.store.ScratchSql;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One SQL database, connected. */
public abstract class SqlTarget implements Target {
  private final String driver;
  private final SqlConnections connections;
  private final Dialect dialect;
  private final SqlDataSets dataSets;
  private final ScratchSql scratch;

  /**
   * @param driver its name
   */
  protected SqlTarget(
      String driver,
      SqlConnections connections,
      Dialect dialect,
      ObjectCatalog catalog,
      ScratchSql scratch) {
    this.driver = driver;
    this.connections = connections;
    this.dialect = dialect;
    this.dataSets = new SqlDataSets(connections, catalog);
    this.scratch = scratch;
    connections.admit(dataSets::confirm);
  }

  /** The name by which files of statements are chosen. */
  protected String system() {
    return driver;
  }

  /** What makes, loads and checks the tables of a folder. */
  protected abstract StatementAdmin admin();

  /** A target of which all tables are in a schema or database of this name. */
  protected abstract SqlTarget inside(String place);

  @Override
  public <P> P port(Class<P> type) {
    if (type == StatementStore.class) {
      return type.cast(new SqlStatementStore(connections, dialect, system()));
    }
    if (type == StatementAdmin.class) {
      return type.cast(admin());
    }
    if (type == StatementBaseline.class) {
      return type.cast(baseline());
    }
    throw new ConfigException(
        "target.driver", "%s does not implement %s".formatted(driver, type.getSimpleName()));
  }

  protected StatementBaseline baseline() {
    return new SqlStatementBaseline(connections, dialect);
  }

  /** By a query for the word of its level and its words. */
  protected final Durability durability(String query) throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement -> {
          Map.Entry<String, String> one =
              Queries.pairs(statement, query).entrySet().iterator().next();
          return new Durability(Durability.Level.of(one.getKey()), one.getValue());
        });
  }

  @Override
  public boolean readsPrimary() {
    return connections.toFirst();
  }

  @Override
  public final boolean keepsData() {
    return true;
  }

  @Override
  public final Scratch scratch(List<String> tables) throws CallFailure {
    SqlTarget inside = inside(ScratchPlace.NAME);
    ScratchPlace place = ScratchPlace.make(connections, inside.connections, scratch, tables);
    return Scratch.of(
        inside,
        () -> {
          inside.dataSets.close();
          place.close();
        });
  }

  /** The data set's record. */
  protected final SqlDataSets record() {
    return dataSets;
  }

  @Override
  public final DataSetStore dataSets() {
    return dataSets;
  }

  @Override
  public final Map<String, String> clientSettings() {
    return connections.describe();
  }

  @Override
  public final Map<String, Long> connectionsByHost() {
    return connections.byHost();
  }

  @Override
  public final boolean awaitDisconnected(String applicationName, Duration atMost)
      throws CallFailure {
    return connections.clients().awaitNone(applicationName, atMost);
  }

  @Override
  public final void endIdleConnections(String applicationName) throws CallFailure {
    connections.clients().endIdle(applicationName);
  }

  @Override
  public final Optional<String> otherRun(String dirtyRun) throws CallFailure {
    return connections.clients().otherRun(dirtyRun);
  }

  @Override
  public String quiescenceCaveat() {
    return connections.clients().unreached().isEmpty()
        ? ""
        : "the clients connected to %s could not be listed"
            .formatted(String.join(", ", connections.clients().unreached()));
  }

  @Override
  public final void close() {
    dataSets.close();
    connections.close();
  }
}
