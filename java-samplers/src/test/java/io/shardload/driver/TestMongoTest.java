package io.shardload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The servers that other tests stand on. */
class TestMongoTest {
  enum Kind {
    FERRETDB,
    FAKE;

    TestMongo.Database fresh() {
      return this == FERRETDB ? TestMongo.ferretdb() : TestMongo.fake();
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachTestHasADatabaseOfItsOwn(Kind kind) {
    TestMongo.Database one = kind.fresh();
    TestMongo.Database other = kind.fresh();
    insert(one, "first", 1);
    insert(other, "second", 2);
    insert(other, "third", 3);
    assertThat(documents(one).find(Filters.lte("n", 2)).map(d -> d.getString("_id")))
        .containsExactly("first");
    assertThat(documents(other).find(Filters.gte("n", 3)).map(d -> d.getString("_id")))
        .containsExactly("third");
  }

  /** The real one tells its version; the fake claims to be some MongoDB. */
  @Test
  void theServersAreWhatTheyAreCalled() {
    Document build = TestMongo.ferretdb().bson().runCommand(new Document("buildInfo", 1));
    assertThat(build).containsEntry("ferretdbVersion", "v1.24.0");
    assertThat(TestMongo.fake().bson().runCommand(new Document("buildInfo", 1)))
        .doesNotContainKey("ferretdbVersion");
  }

  private static void insert(TestMongo.Database database, String id, int n) {
    documents(database).insertOne(new Document("_id", id).append("n", n));
  }

  private static MongoCollection<Document> documents(TestMongo.Database database) {
    return database.bson().getCollection("documents");
  }
}
