package io.shardload.driver.mongodb;

import static io.shardload.driver.mongodb.schema.TestSchema.options;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.shardload.driver.Clock;
import io.shardload.driver.DataHost;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.ListedShard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.ConnectedClients;
import io.shardload.driver.mongodb.facts.DataHosts;
import io.shardload.driver.mongodb.facts.MongodbEvidence;
import io.shardload.driver.mongodb.facts.MongodbTopology;
import io.shardload.driver.mongodb.facts.OtherRuns;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.store.MongodbAdmin;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.topology.Division;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a run asks of a cluster of two shards or more, in a database of its own. */
abstract class ShardedClusterContract {
  static final String DATABASE = "shardload_test_sharded";
  private static final Session SESSION = Session.controller("me", 2, Duration.ofSeconds(5));
  private static final String GENERATOR = "shardload-run-1";
  private static final int DOCUMENTS = 32;

  MongoClient client;
  Connections connections;
  ServerKind kind;
  ClusterCatalog catalog;

  abstract Connections open(TestInfo test, Session session);

  /** A URL by which other clients connect to the cluster. */
  abstract String origin();

  @BeforeEach
  void connect(TestInfo test) {
    connections = open(test, SESSION);
    client = connections.recordClient();
    kind = ServerKind.ask(client);
    assertThat(kind.sharded()).as(kind.describe()).isTrue();
    client.getDatabase(DATABASE).drop();
    catalog = new ClusterCatalog(client, DATABASE, Statements.COLLECTION);
  }

  @AfterEach
  void disconnect() {
    client.getDatabase(DATABASE).drop();
    connections.close();
  }

  final SchemaOptions create(String shardKey) throws CallFailure {
    SchemaOptions options = options("{shard-key: " + shardKey + "}").on(kind);
    Schema schema = new Schema(client, DATABASE, kind, options, Clock.SYSTEM);
    assertThat(schema.create(Making.UNRECORDED, Progress.UNHEARD)).isTrue();
    return options;
  }

  @ParameterizedTest
  @ValueSource(strings = {"hashed", "id-filter1"})
  void documentsAreSpreadAndEachStatementGoesToOneShard(String shardKey) throws CallFailure {
    MongodbEvidence evidence = new MongodbEvidence(client, DATABASE, kind);
    assertThat(evidence.division()).isEmpty();
    SchemaOptions options = create(shardKey);
    client
        .getDatabase(DATABASE)
        .getCollection(Statements.COLLECTION, BsonDocument.class)
        .insertMany(documents());
    new MongodbAdmin(connections, kind, options).finishLoad(Progress.UNHEARD);

    Storage storage = evidence.storage();
    assertThat(storage.placements()).hasSizeGreaterThan(1);
    assertThat(storage.placements()).allMatch(shard -> shard.documents() > 0 && shard.bytes() > 0);
    assertThat(storage.placements().stream().mapToLong(Storage.Placement::documents).sum())
        .isEqualTo(DOCUMENTS);
    assertThat(storage.indexBytes()).containsKeys("_id_", "data_table_id_filter1");
    assertThat(storage.facts())
        .containsEntry("shard-key", catalogKey())
        .containsKeys("compression", "chunks." + storage.placements().get(0).shard());
    Division division = evidence.division().orElseThrow();
    assertThat(division.documents().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(DOCUMENTS);
    assertThat(division.byId()).isTrue();
    assertThat(division.documents()).hasSameSizeAs(ClusterCatalog.listShards(client));

    List<QueryPlan> plans = new ArrayList<>();
    DocumentStore explainer = evidence.explainer(plans::add);
    explainer.find(Find.BY_ID_AND_FILTER1.of(id(5), "f5"), Phases.NONE);
    explainer.delete(id(5), "f5", Phases.NONE);
    explainer.update(id(5), "f5", 0, new Change("g2", 4, "g4", "g5", 1), Phases.NONE);
    explainer.find(Find.BY_ID_AND_FILTER5.of(id(5), "x"), Phases.NONE);
    explainer.find(Find.BY_ID_AND_FILTER4_LIST.of(id(5), "a", "b"), Phases.NONE);
    assertThat(plans)
        .allSatisfy(
            plan -> {
              assertThat(plan.access()).isIn(QueryPlan.Access.INDEX, QueryPlan.Access.TENANT_SCAN);
              assertThat(plan.shards()).startsWith("one of ");
            });
  }

  private String catalogKey() {
    return Schema.wholeNumbers(catalog.sharded().getDocument("key")).toJson();
  }

  @Test
  void theServers() {
    List<ListedShard> shards = ClusterCatalog.listShards(client);
    Topology topology = new MongodbTopology(connections, kind).read().orElseThrow();
    assertThat(topology.shards()).isEqualTo(shards.size());
    assertThat(topology.members()).isGreaterThanOrEqualTo(shards.size());
    assertThat(topology.routers()).isEqualTo(connections.hosts().size());
    assertThat(new DataHosts(connections, kind).read())
        .extracting(DataHost::address)
        .contains(shards.get(0).members().replaceFirst(":.*", ""));
  }

  /** A router lists idle clients of its own, and what runs on the shards. */
  @Test
  void whoIsConnected() throws CallFailure {
    ConnectedClients clients = new ConnectedClients(connections, kind);
    OtherRuns others = new OtherRuns(connections, kind, clients);
    try (MongoClient generator =
        MongoClients.create(
            MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(origin()))
                .applicationName(GENERATOR)
                .build())) {
      generator.getDatabase(DATABASE).runCommand(new org.bson.Document("ping", 1));
      assertThat(clients.awaitDisconnected(GENERATOR, Duration.ZERO)).isFalse();
      assertThat(others.any("run-1")).contains("run-1");
    }
    assertThat(clients.awaitDisconnected(GENERATOR, Duration.ofMinutes(1))).isTrue();
    assertThat(clients.quiescenceCaveat()).isEmpty();
    assertThat(others.any("run-1")).isEmpty();
  }

  static List<BsonDocument> documents() {
    List<BsonDocument> documents = new ArrayList<>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(Statements.insert(new Document(id(i), "f" + i, "a", i, "b", "c", "text", 0)));
    }
    return documents;
  }

  /** Ids all over the place, as a hash makes them. */
  static UUID id(int number) {
    return new UUID(number * 0x9E3779B97F4A7C15L, number);
  }
}
