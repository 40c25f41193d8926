package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Database;
import io.shardload.keys.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading by filter1 finds a second row under another {@code _id}, on the fake of MongoDB. */
class FakeMongodbWrittenTest {
  private static final BsonDocument UPDATED = BsonDocument.parse("{filter1: '0a385ef24fa6a992'}");

  private final Database database = TestMongo.fake();
  @AutoClose private Target target;
  private Path bundle;

  @BeforeEach
  void runThatUpdatedDocument0(@TempDir Path temporary) throws Exception {
    bundle = temporary.resolve("run-1");
    target = database.open("{}", new Session("test", 2, Duration.ofMillis(50)));
    GoldenData.begin(target, bundle);
    GoldenData.writeBundle(bundle, true, journal -> journal.append(0, State.live(1)));
    database
        .bson()
        .getCollection("data_table")
        .updateOne(
            UPDATED,
            BsonDocument.parse("{$set: {filter3: {$numberLong: '501165655330'}, edition: 1}}"));
  }

  @Test
  void aSecondRowIsFound() throws Exception {
    var documents = database.bson().getCollection("data_table", BsonDocument.class);
    BsonDocument row = documents.find(UPDATED).first();
    row.put("_id", new BsonString("another"));
    row.put("id", BsonDocument.parse("{id: {$uuid: '" + GoldenData.TENANT_1 + "'}}").get("id"));
    documents.insertOne(row);

    assertThat(GoldenData.found(GoldenData.verifyWritten(target, bundle)))
        .containsExactlyInAnyOrderElementsOf(List.of("doubled 0", "corrupted 0"));
  }
}
