package io.shardload.driver.postgresql;

import io.shardload.config.ConfigException;
import io.shardload.driver.DataHost;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Machine;
import io.shardload.driver.Scratch;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.Target;
import io.shardload.driver.jdbc.statements.SqlStatementBaseline;
import io.shardload.driver.jdbc.statements.SqlStatementStore;
import io.shardload.driver.jdbc.store.ScratchPlace;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.facts.DataHosts;
import io.shardload.driver.postgresql.facts.LostWorkers;
import io.shardload.driver.postgresql.facts.Machines;
import io.shardload.driver.postgresql.facts.OtherRuns;
import io.shardload.driver.postgresql.facts.PostgresqlEvidence;
import io.shardload.driver.postgresql.facts.PostgresqlTopology;
import io.shardload.driver.postgresql.facts.Replicas;
import io.shardload.driver.postgresql.facts.ServerFacts;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.driver.postgresql.statements.PostgresqlDialect;
import io.shardload.driver.postgresql.statements.PostgresqlStatementAdmin;
import io.shardload.driver.postgresql.statements.draft.PostgresqlFolderDraft;
import io.shardload.driver.postgresql.store.DatabaseObjects;
import io.shardload.driver.postgresql.store.PostgresqlAdmin;
import io.shardload.driver.postgresql.store.PostgresqlBaseline;
import io.shardload.driver.postgresql.store.PostgresqlDocumentStore;
import io.shardload.driver.postgresql.store.PostgresqlScratch;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.statements.port.FolderDraft;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One PostgreSQL server, or a server that speaks its protocol. */
final class PostgresqlTarget implements Target {
  private final Connections connections;
  private final Settings settings;
  private final SchemaOptions schema;
  private final ServerFacts facts;
  private final SqlDataSets dataSets;
  private String system = "";

  PostgresqlTarget(Connections connections, Settings settings, SchemaOptions schema) {
    this.connections = connections;
    this.settings = settings;
    this.schema = schema;
    this.facts = new ServerFacts(connections, settings.pgbouncer());
    this.dataSets = new SqlDataSets(connections, new DatabaseObjects());
    connections.admit(dataSets::confirm);
  }

  @Override
  public <P> P port(Class<P> type) {
    if (type == DocumentStore.class) {
      return type.cast(
          new PostgresqlDocumentStore(
              connections.forTransactions(),
              connections.forFinds(),
              settings.shared().fetchSize(),
              connections.cancelAfterSeconds()));
    }
    if (type == DocumentStoreAdmin.class) {
      return type.cast(new PostgresqlAdmin(connections, settings, schema, dataSets));
    }
    if (type == DocumentStoreBaseline.class) {
      return type.cast(new PostgresqlBaseline(connections, settings, schema));
    }
    if (type == DocumentStoreEvidence.class) {
      return type.cast(new PostgresqlEvidence(connections, settings.keepsStatements()));
    }
    if (type == StatementStore.class) {
      return type.cast(new SqlStatementStore(connections, new PostgresqlDialect(), system()));
    }
    if (type == StatementAdmin.class) {
      return type.cast(new PostgresqlStatementAdmin(connections, settings, schema, dataSets));
    }
    if (type == StatementBaseline.class) {
      return type.cast(new SqlStatementBaseline(connections, new PostgresqlDialect()));
    }
    if (type == FolderDraft.class) {
      return type.cast(new PostgresqlFolderDraft(connections, System::nanoTime));
    }
    throw new ConfigException(
        "target.driver", "postgresql does not implement " + type.getSimpleName());
  }

  /** The name by which files of statements are chosen; asked once. */
  private synchronized String system() {
    if (system.isEmpty()) {
      try (Connection connection = connections.administrative();
          Statement statement = connection.createStatement()) {
        system = Citus.of(statement).installed() ? "citus" : "postgresql";
      } catch (SQLException | CallFailure e) {
        throw new ConfigException("target.url", String.valueOf(e.getMessage()));
      }
    }
    return system;
  }

  @Override
  public boolean keepsData() {
    return true;
  }

  @Override
  public boolean readsPrimary() {
    return settings.readsPrimary();
  }

  @Override
  public Scratch scratch(List<String> tables) throws CallFailure {
    Connections scratch = connections.inSchema(ScratchPlace.NAME);
    ScratchPlace place = ScratchPlace.make(connections, scratch, new PostgresqlScratch(), tables);
    PostgresqlTarget inside = new PostgresqlTarget(scratch, settings, schema);
    return Scratch.of(
        inside,
        () -> {
          inside.dataSets.close();
          place.close();
        });
  }

  @Override
  public DataSetStore dataSets() {
    return dataSets;
  }

  @Override
  public ServerInfo server() throws CallFailure {
    return facts.read();
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
  public Map<String, String> clientSettings() {
    return connections.describe();
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
  public Map<String, Long> connectionsByHost() {
    return connections.byHost();
  }

  @Override
  public Map<String, String> schema() throws CallFailure {
    Map<String, String> all = schema.describe();
    all.putAll(facts.table(schema));
    return all;
  }

  @Override
  public String awaitReplicas(Duration patience) throws CallFailure {
    return settings.replicaReads() ? new Replicas(connections).await(patience) : "";
  }

  @Override
  public boolean awaitDisconnected(String applicationName, Duration atMost) throws CallFailure {
    return facts.awaitDisconnected(applicationName, atMost);
  }

  @Override
  public void endIdleConnections(String applicationName) throws CallFailure {
    facts.endIdle(applicationName);
  }

  @Override
  public Optional<String> otherRun(String dirtyRun) throws CallFailure {
    return new OtherRuns(connections, settings.pgbouncer()).any();
  }

  @Override
  public String quiescenceCaveat() {
    if (!facts.unreached().isEmpty()) {
      return "the clients connected to %s could not be listed"
          .formatted(String.join(", ", facts.unreached()));
    }
    return settings.pgbouncer()
        ? "behind a pgbouncer the server cannot list the connected clients, so"
            + " verification waited only for active statements and transactions before it"
            + " read the documents"
        : "";
  }

  @Override
  public void close() {
    dataSets.close();
    connections.close();
  }
}
