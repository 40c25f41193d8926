package io.shardload.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The fake of MongoDB answers with its indexes as it does without. */
class EmbeddedMongoTest {
  private static final List<String> QUERIES =
      List.of(
          "{'a': 1}",
          "{'a': 1, 'b': 2}",
          "{'b': 2}",
          "{'b': 2.0}",
          "{'b': null}",
          "{'b': {'$exists': false}}",
          "{'b': {'$gte': 2}}",
          "{'b': {'$in': [1, 3]}}",
          "{'a': 2, 'b': {'$ne': 3}}",
          "{'$or': [{'a': 1, 'b': 1}, {'a': 2, 'b': 2}]}",
          "{'$or': [{'b': 1}, {'a': 2}]}",
          "{'$or': [{'b': 1}, {'b': null}]}",
          "{'$or': [{'b': 1}, {'b': 1}]}",
          "{'a': 1, '$or': [{'b': 1}, {'b': 3}]}",
          "{'b': 7}",
          "{'b': [1, 2]}");

  private static EmbeddedMongo server;
  private static MongoClient client;
  private static MongoDatabase database;

  @BeforeAll
  static void start() {
    server = EmbeddedMongo.start();
    client = MongoClients.create(server.url("fake"));
    database = client.getDatabase("fake");
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  @Test
  void indexesChangeNoAnswer() {
    MongoCollection<BsonDocument> indexed = collection("indexed");
    MongoCollection<BsonDocument> plain = collection("plain");
    indexed.createIndex(bson("{'a': 1, 'b': 1}"));
    indexed.createIndex(bson("{'b': 1}"));
    Random random = new Random(7);
    for (int step = 0; step < 400; step++) {
      BsonDocument id = bson("{'_id': " + random.nextInt(60) + "}");
      BsonDocument row = bson("{'a': " + random.nextInt(4) + value(random, step) + "}");
      row.put("_id", id.get("_id"));
      for (var one : List.of(indexed, plain)) {
        if (step % 5 == 4) {
          one.deleteOne(id);
        } else if (one.countDocuments(id) == 0) {
          one.insertOne(row);
        } else {
          one.updateOne(id, new BsonDocument("$set", without(row)));
        }
      }
      BsonDocument query = bson(QUERIES.get(step % QUERIES.size()));
      assertThat(ids(indexed, query)).as("step %s: %s", step, query).isEqualTo(ids(plain, query));
    }
    assertThat(ids(plain, bson("{}"))).hasSizeGreaterThan(20);
  }

  /** In the second half some are lists, of which any member may be asked for. */
  private static String value(Random random, int step) {
    int number = random.nextInt(4);
    return switch (random.nextInt(step < 200 ? 3 : 4)) {
      case 0 -> "";
      case 1 -> ", 'b': null";
      case 2 -> ", 'b': " + number;
      default -> ", 'b': [" + number + ", 1]";
    };
  }

  @Test
  void onlyDocumentsThatMayFitAreLookedAt() {
    var index =
        new EmbeddedMongo.EqualityIndex(
            "a_b", List.of(new IndexKey("a", true), new IndexKey("b", true)));
    IntStream.range(0, 100)
        .forEach(i -> index.add(row(i).append("a", i % 10).append("b", i % 20), i, null));
    assertThat(index.getPositions(query("a", 3).append("b", 13)))
        .containsExactly(13, 33, 53, 73, 93);
    assertThat(index.getPositions(query("a", 3)))
        .containsExactly(3, 13, 23, 33, 43, 53, 63, 73, 83, 93);
    assertThat(index.getPositions(query("$or", List.of(query("b", 1), query("b", 2)))))
        .containsExactly(1, 21, 41, 61, 81, 2, 22, 42, 62, 82);
    assertThat(index.canHandle(query("c", 3))).isFalse();
    assertThat(index.canHandle(query("$or", List.of(query("b", 1), query("c", 2))))).isFalse();
    index.updateInPlace(row(13).append("b", 13), row(13).append("b", 14), 13, null);
    assertThat(index.getPositions(query("b", 13))).containsExactly(33, 53, 73, 93);
    assertThat(index.remove(row(33).append("b", 13))).isEqualTo(33);
    assertThat(index.getPositions(query("b", 13))).containsExactly(53, 73, 93);
    assertThat(index.getCount()).isEqualTo(99);
  }

  private static Document row(int id) {
    return query("_id", id);
  }

  private static Document query(String key, Object value) {
    return new Document(key, value);
  }

  private static MongoCollection<BsonDocument> collection(String name) {
    return database.getCollection(name, BsonDocument.class);
  }

  private static BsonDocument without(BsonDocument row) {
    BsonDocument values = row.clone();
    values.remove("_id");
    values.putIfAbsent("c", new BsonInt32(0));
    return values;
  }

  private static Set<Integer> ids(MongoCollection<BsonDocument> from, BsonDocument query) {
    Set<Integer> ids = new TreeSet<>();
    from.find(query).forEach(row -> assertThat(ids.add(row.getInt32("_id").getValue())).isTrue());
    return ids;
  }

  private static BsonDocument bson(String json) {
    return BsonDocument.parse(json);
  }
}
