package io.shardload.driver.mongodb.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.model.CreateCollectionOptions;
import io.shardload.config.ConfigException;
import io.shardload.driver.Makings;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
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
    String options = "{" + option + "}";
    BsonDocument itself =
        BsonDocument.parse("{name: 'c', type: 'collection', options: " + options + "}");
    assertThat(ClusterCatalog.notPlain(itself)).contains(BsonDocument.parse(options));
  }

  @Test
  void aCappedCollectionOnFerretdb() throws CallFailure {
    Database database = TestMongo.ferretdb();
    database
        .bson()
        .createCollection(
            Statements.COLLECTION, new CreateCollectionOptions().capped(true).sizeInBytes(4096));
    try (Target target =
        database.open(database.config("{}", "{'index': 'ascending'}"), TestConnections.SESSION)) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      assertThatThrownBy(() -> admin.createSchema(Making.UNRECORDED, Progress.UNHEARD))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("exists and was created with {\"capped\": true}");
      assertThat(admin.createSchema(Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
    }
  }
}
