package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static io.shardload.driver.mongodb.schema.TestSchema.createSchema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.CreateCollectionOptions;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Makings;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.time.Duration;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collections that are empty and have no index of their own, but are not plain ones. */
class SchemaPlainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "collation: {locale: 'en', strength: 2}",
        "capped: true",
        "timeseries: {timeField: 't'}",
        "validator: {a: 1}",
        "viewOn: 'other'",
        "clusteredIndex: true"
      })
  void aCollectionThatIsMadeOtherwise(String option) {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        MongoClient client = router.client()) {
      router.expect(
          "app",
          "{listCollections: 1, cursor: {}, filter: {name: 'data_table'}}",
          rows("{name: 'data_table', type: 'collection', options: {" + option + "}}"));
      assertThatThrownBy(
              () ->
                  createSchema(
                      client, "app", "{shard-key: hashed}", false, Clock.SYSTEM, Progress.UNHEARD))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "collection app.data_table exists and was created with "
                  + BsonDocument.parse("{" + option + "}").toJson()
                  + "; use another database");
      router.assertDone();
    }
  }

  @Test
  void aCappedCollectionOnFerretdb() throws CallFailure {
    Database database = TestMongo.ferretdb();
    database
        .bson()
        .createCollection(
            Statements.COLLECTION, new CreateCollectionOptions().capped(true).sizeInBytes(4096));
    try (Target target =
        database.open(
            database.config("{}", "{'index': 'ascending'}"),
            new Session("test", 2, Duration.ofSeconds(5)))) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      assertThatThrownBy(() -> admin.createSchema(Making.UNRECORDED, Progress.UNHEARD))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("exists and was created with {\"capped\": true}");
      assertThat(admin.createSchema(Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
    }
  }
}
