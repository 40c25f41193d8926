package io.shardload.driver.mongodb;

import static io.shardload.driver.mongodb.schema.TestSchema.options;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.shardload.driver.Clock;
import io.shardload.driver.OnShardedMongodb;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.MongodbEvidence;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On a real cluster of two shards or more: the address of one of its mongos, whose user may
 * administer it, in the environment. It works in a database of its own, and drops it.
 */
@OnShardedMongodb
public class ShardedClusterTest {
  private static final String URL = "SHARDLOAD_TEST_MONGODB_SHARDED_URL";
  private static final String DATABASE = "shardload_test_sharded";
  private static final int DOCUMENTS = 64;

  /** With the login, if the cluster has one. */
  public static String url() {
    String url = System.getenv(URL);
    String user = System.getenv(URL.replace("_URL", "_USER"));
    String password = System.getenv(URL.replace("_URL", "_PASSWORD"));
    return user == null ? url : url.replace("://", "://" + user + ":" + password + "@");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hashed", "id-filter1"})
  void documentsAreSpreadAndEachStatementGoesToOneShard(String shardKey) throws CallFailure {
    try (MongoClient client = MongoClients.create(url())) {
      ServerKind kind = ServerKind.ask(client);
      assertThat(kind.sharded()).as(kind.describe()).isTrue();
      client.getDatabase(DATABASE).drop();
      SchemaOptions options = options("{shard-key: " + shardKey + "}").on(kind);
      Schema schema = new Schema(client, DATABASE, kind, options, Clock.SYSTEM);
      assertThat(schema.create(Making.UNRECORDED, Progress.UNHEARD)).isTrue();
      assertThat(schema.create(Making.UNRECORDED, Progress.UNHEARD)).isFalse();

      client
          .getDatabase(DATABASE)
          .getCollection(Statements.COLLECTION, BsonDocument.class)
          .insertMany(documents());
      MongodbEvidence evidence = new MongodbEvidence(client, DATABASE, kind);
      Storage storage = evidence.storage();
      assertThat(storage.placements()).hasSizeGreaterThan(1);
      assertThat(storage.placements()).allMatch(shard -> shard.documents() > 0);
      assertThat(storage.placements().stream().mapToLong(Storage.Placement::documents).sum())
          .isEqualTo(DOCUMENTS);

      List<QueryPlan> plans = new ArrayList<>();
      evidence.explainer(plans::add).findByIdAndFilter1(id(5), "f5", Phases.NONE);
      evidence.explainer(plans::add).delete(id(5), "f5", Phases.NONE);
      evidence.explainer(plans::add).findByIdAndFilter5(id(5), "x", Phases.NONE);
      assertThat(plans)
          .allSatisfy(
              plan -> {
                assertThat(plan.access()).isEqualTo(QueryPlan.Access.INDEX);
                assertThat(plan.shards()).startsWith("one of ");
              });
      client.getDatabase(DATABASE).drop();
    }
  }

  private static List<BsonDocument> documents() {
    List<BsonDocument> documents = new ArrayList<>();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.add(Statements.insert(new Document(id(i), "f" + i, "a", i, "b", "c", "text", 0)));
    }
    return documents;
  }

  /** Ids all over the place, as a hash makes them. */
  private static UUID id(int number) {
    return new UUID(number * 0x9E3779B97F4A7C15L, number);
  }
}
