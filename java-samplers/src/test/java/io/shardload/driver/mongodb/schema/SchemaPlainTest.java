package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.model.CreateCollectionOptions;
import io.shardload.driver.Makings;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import java.util.Map;
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
            "data_table", new CreateCollectionOptions().capped(true).sizeInBytes(4096));
    StatementsModel model =
        DocumentStoreFolder.model("ferretdb", 1, 4, Map.of("index", "ascending"));
    try (Target target = database.open("{}")) {
      assertThat(refusalOf(() -> model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)))
          .hasMessageContaining("exists and was created with {\"capped\": true}");
      assertThat(refusalOf(() -> model.checkSchema(target, false)))
          .hasMessageContaining("exists and was created with {\"capped\": true}");
      assertThat(model.createSchema(target, Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
    }
  }
}
