package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreScratch;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** PostgreSQL, a real FerretDB and the fake of MongoDB give the same answers. */
class SystemsTest {
  private static final String DATA =
      "{\"documents\": 400, \"tenants\": 4, \"document-size\": \"64B\"}";

  @Test
  void allAreEqualOnAllThree() throws CallFailure {
    DocumentStoreModel model =
        (DocumentStoreModel)
            new DocumentStoreWorkload()
                .model(
                    5,
                    new Options("workload.data", JsonParser.parseString(DATA).getAsJsonObject()));
    try (Target postgresql = TestDatabases.fresh().open("{}");
        Target ferretdb = ferretdb();
        Target fake = TestMongo.fake().open("{'topology': 'single'}");
        DocumentStoreScratch one = scratch(postgresql);
        DocumentStoreScratch two = scratch(ferretdb);
        DocumentStoreScratch three = scratch(fake)) {
      Parity.Result result =
          new Parity(
                  model,
                  List.of(side("postgresql", one), side("ferretdb", two), side("fake", three)),
                  5,
                  12,
                  Progress.UNHEARD)
              .run();
      assertThat(result.load().difference()).isNull();
      assertThat(result.transactions()).extracting(Line::difference).containsOnlyNulls();
      assertThat(result.equal()).isTrue();
    }
  }

  /** FerretDB 1 has no hashed indexes, and is told so. */
  private static Target ferretdb() {
    Database database = TestMongo.ferretdb();
    return database.open(
        database.config("{'topology': 'single'}", "{'index': 'ascending'}"),
        new Session("test", 2, Duration.ofSeconds(5)));
  }

  private static DocumentStoreScratch scratch(Target target) throws CallFailure {
    return target.port(DocumentStoreAdmin.class).scratch();
  }

  private static ComparedTarget side(String name, DocumentStoreScratch scratch) {
    return new ComparedTarget(name, scratch.admin(), scratch.store());
  }
}
