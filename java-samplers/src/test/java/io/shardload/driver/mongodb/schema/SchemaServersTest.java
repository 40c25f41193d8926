package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.driver.mongodb.schema.TestSchema.createSchema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Clock;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract on a server without shards, a real FerretDB 1.24; and what it refuses. */
class SchemaServersTest extends SchemaContract {
  private final TestMongo.Database ferretdb = TestMongo.ferretdb();
  private final TestMongo.Database fake = TestMongo.fake();

  @Override
  String url(TestInfo test) {
    return ferretdb.server();
  }

  @Override
  String database() {
    return ferretdb.name();
  }

  @Test
  void ferretdbIsKnownAndSoIsTheFake() {
    ServerKind kind = ServerKind.ask(admin);
    assertThat(kind).isEqualTo(new ServerKind(ServerKind.Product.FERRETDB, "1.24.0"));
    assertThat(kind.firstFerretdb()).isTrue();
    assertThat(kind.complete()).isFalse();
    assertThat(ServerKind.ask(fake.client()).product()).isEqualTo(ServerKind.Product.FAKE);
  }

  /** As tried on FerretDB 2.7.0 with DocumentDB 0.107 and on MongoDB 4.0.3. */
  @Test
  void whatVersionsLack() {
    ServerKind second = new ServerKind(ServerKind.Product.FERRETDB, "2.7.0");
    assertThat(second.firstFerretdb()).isFalse();
    assertThat(second.complete()).isFalse();
    assertThat(second.transactions()).isFalse();
    assertThat(new ServerKind(ServerKind.Product.ROUTER, "4.0.3").transactions()).isFalse();
    assertThat(new ServerKind(ServerKind.Product.ROUTER, "4.2.0").transactions()).isTrue();
    assertThat(new ServerKind(ServerKind.Product.REPLICA_SET, "4.0.3").transactions()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | schema.index | FerretDB 1.24.0 has no hashed indexes, as"
            + " data_table_filter1 of data_table; set schema.index=ascending where the workload"
            + " has it",
        "{index: ascending, shard-key: id-filter1, initial-chunks: 4} | schema.shard-key"
            + " | needs a sharded cluster, but target.url leads to FerretDB 1.24.0 (documents in"
            + " PostgreSQL); give the address of a mongos, or leave schema.shard-key,"
            + " schema.initial-chunks out"
      })
  void ferretdbHasNeitherHashedIndexesNorShards(String options, String key, String message) {
    assertThatThrownBy(() -> make(options, false))
        .isInstanceOf(ConfigException.class)
        .hasMessage(message)
        .extracting("key")
        .isEqualTo(key);
  }

  @Test
  void theFakeTakesTheSameSteps() {
    assertThat(makeOnTheFake(false)).isTrue();
    assertThat(makeOnTheFake(false)).isFalse();
    assertThat(makeOnTheFake(true)).isTrue();
  }

  @Test
  void anIndexOfAnotherKind() {
    assertThat(makeOnTheFake("{}", false)).isTrue();
    assertThatThrownBy(() -> makeOnTheFake("{index: ascending}", false))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "collection %s.data_table exists and has index data_table_filter1 on (filter1 hashed) instead of (filter1 ascending); use another database"
                .formatted(fake.name()));
    assertThat(makeOnTheFake("{index: ascending}", true)).isTrue();
  }

  /** The record of the data set knows the option. */
  @Test
  void theOptionThatAnIndexDiffersByIsNamed() throws CallFailure {
    try (Target target = fake.open("{}")) {
      DataSet.open(target, "document-store", model("hashed"), false);
      ConfigException e =
          refusalOf(() -> DataSet.open(target, "document-store", model("ascending"), false));
      assertThat(e.key()).isEqualTo("schema.index");
      assertThat(e).hasMessageContaining("-o schema.index=hashed keeps it");
    }
  }

  private static StatementsModel model(String index) {
    return DocumentStoreFolder.model("mongodb", 1, 4, Map.of("index", index));
  }

  private boolean makeOnTheFake(boolean recreate) {
    return makeOnTheFake("{}", recreate);
  }

  private boolean makeOnTheFake(String options, boolean recreate) {
    try {
      return createSchema(
          fake.client(), fake.name(), options, recreate, Clock.SYSTEM, Progress.UNHEARD);
    } catch (CallFailure e) {
      throw new IllegalStateException(e); // Nobody records here.
    }
  }
}
