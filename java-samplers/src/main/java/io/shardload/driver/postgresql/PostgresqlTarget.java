package io.shardload.driver.postgresql;

import io.shardload.bundle.Durability;
import io.shardload.config.ConfigException;
import io.shardload.driver.DataHost;
import io.shardload.driver.Machine;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.jdbc.SqlTarget;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.facts.DataHosts;
import io.shardload.driver.postgresql.facts.LostWorkers;
import io.shardload.driver.postgresql.facts.Machines;
import io.shardload.driver.postgresql.facts.PostgresqlTopology;
import io.shardload.driver.postgresql.facts.Replicas;
import io.shardload.driver.postgresql.facts.ServerFacts;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.driver.postgresql.statements.PostgresqlBaseline;
import io.shardload.driver.postgresql.statements.PostgresqlDialect;
import io.shardload.driver.postgresql.statements.PostgresqlStatementAdmin;
import io.shardload.driver.postgresql.statements.draft.PostgresqlFolderDraft;
import io.shardload.driver.postgresql.store.DatabaseObjects;
import io.shardload.driver.postgresql.store.PostgresqlScratch;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.FolderDraft;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementBaseline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One PostgreSQL server, or a server that speaks its protocol. */
final class PostgresqlTarget extends SqlTarget {
  private final Connections connections;
  private final Settings settings;
  private final SchemaOptions schema;
  private final ServerFacts facts;
  private String system = "";

  PostgresqlTarget(Connections connections, Settings settings, SchemaOptions schema) {
    super(
        "postgresql",
        connections,
        new PostgresqlDialect(),
        new DatabaseObjects(),
        PostgresqlScratch.SQL);
    this.connections = connections;
    this.settings = settings;
    this.schema = schema;
    this.facts = new ServerFacts(connections);
  }

  @Override
  public <P> P port(Class<P> type) {
    if (type == FolderDraft.class) {
      return type.cast(new PostgresqlFolderDraft(connections, System::nanoTime));
    }
    return super.port(type);
  }

  @Override
  protected StatementBaseline baseline() {
    return new PostgresqlBaseline(connections, settings, new PostgresqlDialect());
  }

  @Override
  protected StatementAdmin admin() {
    return new PostgresqlStatementAdmin(connections, settings, schema, record());
  }

  /** {@inheritDoc} Asked once. */
  @Override
  protected synchronized String system() {
    if (system.isEmpty()) {
      try (Connection connection = connections.administrative();
          Statement statement = connection.createStatement()) {
        Citus citus = Citus.of(statement);
        if (schema.distributed()) {
          citus.require();
        }
        system = citus.installed() ? "citus" : "postgresql";
      } catch (SQLException | CallFailure e) {
        throw new ConfigException("target.url", String.valueOf(e.getMessage()));
      }
    }
    return system;
  }

  @Override
  public boolean readsPrimary() {
    return settings.readsPrimary();
  }

  @Override
  protected SqlTarget inside(String place) {
    return new PostgresqlTarget(connections.inSchema(place), settings, schema);
  }

  @Override
  public ServerInfo server() throws CallFailure {
    return facts.read();
  }

  @Override
  public Durability durability() throws CallFailure {
    return connections.use(connections.administrative(), ServerFacts::durability);
  }

  @Override
  public List<Machine> machines() throws CallFailure {
    return connections.use(connections.administrative(), Machines::read);
  }

  @Override
  public List<DataHost> dataHosts() throws CallFailure {
    return connections.use(connections.administrative(), DataHosts::read);
  }

  @Override
  public Optional<Topology> topology() throws CallFailure {
    return connections.use(
        connections.administrative(),
        statement -> PostgresqlTopology.read(statement, connections.hostsAtOnce()));
  }

  @Override
  public void checkConnections() throws CallFailure {
    connections.checkLimits();
    String lost = connections.use(connections.administrative(), LostWorkers::of);
    if (!lost.isEmpty()) {
      throw new ConfigException("target.url", lost);
    }
  }

  @Override
  public Map<String, String> schema() throws CallFailure {
    return facts.table(schema);
  }

  @Override
  public String awaitReplicas(Duration patience) throws CallFailure {
    return settings.replicaReads() ? new Replicas(connections).await(patience) : "";
  }

  @Override
  public String quiescenceCaveat() {
    String unreached = super.quiescenceCaveat();
    return unreached.isEmpty() && settings.pgbouncer()
        ? "behind a pgbouncer the server cannot list the connected clients, so"
            + " verification waited only for active statements and transactions before it"
            + " read the documents"
        : unreached;
  }
}
