package io.shardload.driver.mongodb;

import static io.shardload.driver.mongodb.schema.TestSchema.options;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.shardload.config.Options;
import io.shardload.driver.Clock;
import io.shardload.driver.DataHost;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.ClusterServers;
import io.shardload.driver.mongodb.facts.ConnectedClients;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.driver.mongodb.statements.MongodbStatementAdmin;
import io.shardload.topology.Division;
import io.shardload.topology.Topology;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.port.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
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
    catalog = new ClusterCatalog(client, DATABASE, "data_table");
  }

  @AfterEach
  void disconnect() {
    client.getDatabase(DATABASE).drop();
    connections.close();
  }

  final void create(String shardKey) throws CallFailure {
    String options = "{shard-key: " + shardKey + "}";
    assertThat(
            TestSchema.createSchema(
                client, DATABASE, options, false, Clock.SYSTEM, Progress.UNHEARD))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"hashed", "id-filter1"})
  @SuppressWarnings("unchecked")
  void documentsAreSpreadAndEachStatementGoesToOneShard(String shardKey) throws CallFailure {
    MongodbStatementAdmin admin =
        new MongodbStatementAdmin(connections, kind, SchemaOptions.read(Options.none("schema")));
    assertThat(admin.shards("data_table", "id").division()).isEmpty();
    create(shardKey);
    client
        .getDatabase(DATABASE)
        .getCollection("data_table", BsonDocument.class)
        .insertMany(documents());
    admin.finishLoad(List.of("data_table"), Progress.UNHEARD);

    Map<String, Object> storage = admin.storage(List.of("data_table"));
    List<Map<String, Object>> placements = (List<Map<String, Object>>) storage.get("placements");
    assertThat(placements).hasSizeGreaterThan(1);
    assertThat(placements)
        .allMatch(shard -> (long) shard.get("documents") > 0 && (long) shard.get("bytes") > 0);
    assertThat(placements.stream().mapToLong(shard -> (long) shard.get("documents")).sum())
        .isEqualTo(DOCUMENTS);
    assertThat((Map<String, Long>) storage.get("index_bytes"))
        .containsKeys("data_table._id_", "data_table.data_table_id_filter1");
    assertThat((Map<String, String>) storage.get("facts"))
        .containsEntry("data_table.shard-key", catalogKey())
        .containsKeys(
            "data_table.compression", "data_table.chunks." + placements.get(0).get("shard"));
    Division division = admin.shards("data_table", "id").division().orElseThrow();
    assertThat(division.documents().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(DOCUMENTS);
    assertThat(division.byId()).isTrue();
    assertThat(division.documents()).hasSameSizeAs(ClusterCatalog.listShards(client));

    assertOneShard(admin, "find-by-id-and-filter1", Map.of());
    assertOneShard(admin, "delete", Map.of());
    assertOneShard(admin, "update", Map.of());
    assertOneShard(admin, "find-by-id-and-filter5", Map.of("data_table.filter5", "x"));
    assertOneShard(
        admin,
        "find-by-id-and-filter4-list",
        Map.of("data_table.filter4", "a", "other_filter4", "b"));
  }

  private static void assertOneShard(
      MongodbStatementAdmin admin, String transaction, Map<String, ?> others) throws CallFailure {
    DocumentStoreCalls calls =
        new DocumentStoreCalls(DocumentStoreData.CALLS.folder("mongodb"), null);
    Map<String, Object> values = new HashMap<>();
    values.put("data_table.id", id(5));
    values.put("data_table.filter1", "f5");
    List.of(2, 4, 5).forEach(i -> values.put("data_table.filter" + i, "g" + i));
    values.put("data_table.filter3", 4L);
    values.putAll(others);
    Plan plan = calls.plan(transaction);
    Map<String, Object> explained =
        admin.explain(
            plan,
            calls.arguments(plan, 0, 1, values),
            DocumentStoreFolder.entity(calls.model()).grouping());
    assertThat(explained.get("access")).isIn("index", "tenant-scan");
    assertThat((String) explained.get("shards")).startsWith("one of ");
  }

  private String catalogKey() {
    return Schema.wholeNumbers(catalog.sharded().getDocument("key")).toJson();
  }

  @Test
  void theServers() {
    List<Shard> shards = ClusterCatalog.listShards(client);
    Topology topology = new ClusterServers(connections, kind).topology().orElseThrow();
    assertThat(topology.shards()).isEqualTo(shards.size());
    assertThat(topology.members()).isGreaterThanOrEqualTo(shards.size());
    assertThat(topology.routers()).isEqualTo(connections.hosts().size());
    assertThat(new ClusterServers(connections, kind).dataHosts())
        .extracting(DataHost::address)
        .contains(shards.get(0).members().get(0).replaceFirst(":.*", ""));
  }

  /** A router lists idle clients of its own, and what runs on the shards. */
  @Test
  void whoIsConnected() throws CallFailure {
    ConnectedClients clients = new ConnectedClients(connections, kind);
    try (MongoClient generator =
        MongoClients.create(
            MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(origin()))
                .applicationName(GENERATOR)
                .build())) {
      generator.getDatabase(DATABASE).runCommand(new org.bson.Document("ping", 1));
      assertThat(clients.awaitDisconnected(GENERATOR, Duration.ZERO)).isFalse();
      assertThat(clients.otherRun("run-1")).contains("run-1");
    }
    assertThat(clients.awaitDisconnected(GENERATOR, Duration.ofMinutes(1))).isTrue();
    assertThat(clients.quiescenceCaveat()).isEmpty();
    assertThat(clients.otherRun("run-1")).isEmpty();
  }

  static List<BsonDocument> documents() {
    List<BsonDocument> documents = new ArrayList<>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(
          new BsonDocument("_id", new BsonString("f" + i))
              .append("id", new BsonBinary(id(i)))
              .append("filter1", new BsonString("f" + i))
              .append("filter2", new BsonString("a"))
              .append("filter3", new BsonInt64(i))
              .append("filter4", new BsonString("b"))
              .append("filter5", new BsonString("c"))
              .append("document", new BsonString("text"))
              .append("edition", new BsonInt32(0))
              .append("created", new BsonDateTime(0))
              .append("updated", new BsonDateTime(0)));
    }
    return documents;
  }

  /** Ids all over the place, as a hash makes them. */
  static UUID id(int number) {
    return new UUID(number * 0x9E3779B97F4A7C15L, number);
  }
}
