package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.schema.TestSchema.createSchema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What holds after the schema is made, repeated, interrupted or refused, on any server. */
abstract class SchemaContract {
  static final String HALF = "80000000-0000-0000-0000-000000000000";
  static final String ASCENDING = "{index: ascending}";

  private static final Pattern CHANGES =
      Pattern.compile("drop|create.*|enable.*|shardColl.*|split|moveChunk|addShard.*|updateZone.*");

  /** The server lets no further change through: the process ends here. */
  private static final class Interruption extends Error {
    private static final long serialVersionUID = 1;
  }

  /** The changes that the schema's own client makes, and how many it may. */
  final List<String> changes = new ArrayList<>();

  private int allowed = Integer.MAX_VALUE;
  private MongoClient observed;
  MongoClient admin;
  ClusterCatalog catalog;

  abstract String url(TestInfo test);

  abstract String database();

  Clock clock() {
    return Clock.SYSTEM;
  }

  @BeforeEach
  void connect(TestInfo test) {
    String url = url(test);
    CommandListener listener =
        new CommandListener() {
          @Override
          public void commandStarted(CommandStartedEvent event) {
            if (CHANGES.matcher(event.getCommandName()).matches()) {
              if (changes.size() == allowed) {
                throw new Interruption();
              }
              changes.add(FakeRouter.own(event.getCommand()).toJson());
            }
          }
        };
    observed =
        MongoClients.create(
            MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(url))
                .addCommandListener(listener)
                .build());
    admin = MongoClients.create(url);
    catalog = new ClusterCatalog(admin, database(), "data_table");
    cleanUp();
  }

  @AfterEach
  void disconnect() {
    cleanUp();
    observed.close();
    admin.close();
  }

  /** Drops what the schema makes. */
  void cleanUp() {
    List.of("data_table", "shardload_header", "shardload_state", "users_own")
        .forEach(name -> bson().getCollection(name).drop());
  }

  final MongoDatabase bson() {
    return admin.getDatabase(database());
  }

  final boolean make(String options, boolean recreate) {
    return make(options, recreate, Progress.UNHEARD);
  }

  final boolean make(String options, boolean recreate, Progress steps) {
    changes.clear();
    try {
      return createSchema(observed, database(), options, recreate, clock(), steps);
    } catch (CallFailure e) {
      throw new IllegalStateException(e); // Nobody records here.
    }
  }

  /** Makes the schema up to a number of changes; whether that was not all of it. */
  final boolean interrupted(String options, boolean recreate, int after) {
    allowed = after;
    try {
      make(options, recreate);
      return false;
    } catch (Interruption e) {
      return true;
    } finally {
      allowed = Integer.MAX_VALUE;
    }
  }

  final void insertDocument() {
    bson()
        .getCollection("data_table", BsonDocument.class)
        .insertOne(
            BsonDocument.parse("{_id: 'a', id: {$uuid: '%s'}, filter1: 'f'}".formatted(HALF)));
  }

  /** All that the schema is made of, for comparison. */
  List<Object> state() {
    return List.copyOf(indexes());
  }

  final List<String> indexes() {
    return catalog.indexes().stream()
        .map(
            index ->
                "%s %s%s"
                    .formatted(
                        index.getString("name").getValue(),
                        Schema.wholeNumbers(index.getDocument("key")).toJson().replace("\"", ""),
                        Bson.isTrue(index, "unique") ? " unique" : ""))
        .toList();
  }

  /** Refused with this message by the check that each creation begins with. */
  final void assertRefused(String options, String message) {
    List<Object> before = state();
    changes.clear();
    assertThatThrownBy(() -> TestSchema.schema(observed, database(), options, clock()).check())
        .isInstanceOf(ConfigException.class)
        .hasMessage(message);
    assertThat(changes).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  final void assertOther(String options, String what) {
    assertRefused(
        options,
        "collection %s.data_table exists and %s; use another database".formatted(database(), what));
  }

  @Test
  void theIndexesOfTheFileAreMadeOnce() {
    assertThat(make(ASCENDING, false)).isTrue();
    assertThat(indexes())
        .contains(
            "_id_ {_id: 1}",
            "data_table_id_filter1 {id: 1, filter1: 1} unique",
            "data_table_filter1 {filter1: 1}",
            "data_table_filter4 {filter4: 1}",
            "data_table_filter5 {filter5: 1}",
            "data_table_id_filter2 {id: 1, filter2: 1}",
            "data_table_id_filter3 {id: 1, filter3: 1}");
    insertDocument();
    List<Object> made = state();
    assertThat(make(ASCENDING, false)).isFalse();
    assertThat(changes).isEmpty();
    assertThat(state()).isEqualTo(made);
  }

  @Test
  void aMissingIndexIsMadeWhileThereAreNoDocuments() {
    make(ASCENDING, false);
    List<Object> made = state();
    bson().getCollection("data_table").dropIndex("data_table_filter4");
    assertThat(make(ASCENDING, false)).isTrue();
    assertThat(state()).hasSameElementsAs(made);

    bson().getCollection("data_table").dropIndex("data_table_filter4");
    insertDocument();
    assertOther(ASCENDING, "has documents, but no index data_table_filter4");
  }

  @Test
  void otherIndexesAreRefusedUntilRecreated() {
    make(ASCENDING, false);
    bson().getCollection("data_table").createIndex(new Document("edition", 1));
    assertOther(ASCENDING, "has an index edition_1 that shardload did not create");
    bson().getCollection("data_table").dropIndex("edition_1");
    bson().getCollection("data_table").dropIndex("data_table_filter4");
    String descending = "{name: 'data_table_filter4', key: {filter4: -1}}";
    bson()
        .runCommand(
            Document.parse("{createIndexes: 'data_table', indexes: [%s]}".formatted(descending)));
    assertOther(
        ASCENDING,
        "has index data_table_filter4 on (filter4 descending) instead of (filter4 ascending)");
    assertThat(make(ASCENDING, true)).isTrue();
    assertThat(make(ASCENDING, false)).isFalse();
  }

  /** The record is replaced by who makes the schema, after the collection is there. */
  @Test
  void recreateDropsTheCollectionAlone() {
    List<String> names = List.of("data_table", "shardload_header", "shardload_state", "users_own");
    names.forEach(name -> bson().getCollection(name).insertOne(new Document("_id", "a")));
    assertThat(make(ASCENDING, true)).isTrue();
    assertThat(bson().listCollectionNames()).containsExactlyInAnyOrderElementsOf(names);
    assertThat(catalog.empty()).isTrue();
  }
}
