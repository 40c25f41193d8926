package io.shardload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
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

  /** The same answers with indexes and without, also after the key was changed or removed. */
  @ParameterizedTest
  @EnumSource
  void anIndexChangesNoAnswer(Kind kind) {
    TestMongo.Database database = kind.fresh();
    MongoCollection<Document> documents = documents(database);
    documents.createIndex(new Document("owner", 1).append("n", 1));
    for (int i = 0; i < 20; i++) {
      documents.insertOne(new Document("_id", "d" + i).append("owner", "o" + i % 4).append("n", i));
    }
    documents.updateOne(Filters.eq("_id", "d5"), new Document("$set", new Document("owner", "o2")));
    documents.updateOne(
        new Document("owner", "o2").append("n", 6), new Document("$set", new Document("n", 60)));
    documents.deleteOne(new Document("owner", "o2").append("n", 10));
    assertThat(ids(documents, new Document("owner", "o2")))
        .containsExactlyInAnyOrder("d2", "d5", "d6", "d14", "d18");
    assertThat(ids(documents, new Document("owner", "o1")))
        .containsExactlyInAnyOrder("d1", "d9", "d13", "d17");
    assertThat(ids(documents, new Document("owner", "o2").append("n", new Document("$lte", 14))))
        .containsExactlyInAnyOrder("d2", "d5", "d14");
    assertThat(ids(documents, new Document("owner", new Document("$in", List.of("o0", "o9")))))
        .containsExactlyInAnyOrder("d0", "d4", "d8", "d12", "d16");
    assertThat(ids(documents, new Document("owner", "o9"))).isEmpty();
  }

  private static List<String> ids(MongoCollection<Document> documents, Document filter) {
    return documents.find(filter).map(d -> d.getString("_id")).into(new ArrayList<>());
  }

  private static void insert(TestMongo.Database database, String id, int n) {
    documents(database).insertOne(new Document("_id", id).append("n", n));
  }

  private static MongoCollection<Document> documents(TestMongo.Database database) {
    return database.bson().getCollection("documents");
  }
}
