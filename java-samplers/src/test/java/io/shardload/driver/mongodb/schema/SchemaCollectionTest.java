package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import io.shardload.Golden;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ServerKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

/** What schema files ask of a server. */
class SchemaCollectionTest {
  private static final ServerKind ROUTER = new ServerKind(ServerKind.Product.ROUTER, "6.0.1");
  private static final ServerKind STANDALONE =
      new ServerKind(ServerKind.Product.STANDALONE, "6.0.1");

  /** What is asked of a server. */
  @Test
  void theCollectionOfDocumentStore() {
    StringBuilder all = new StringBuilder();
    for (String index : List.of("hashed", "ascending")) {
      for (String shardKey : List.of("hashed", "id-filter1")) {
        for (int chunks : new int[] {0, 64}) {
          Map<String, ?> chosen =
              Map.of("index", index, "shard_key", shardKey, "initial_chunks", chunks);
          all.append("%s %s %d\n".formatted(index, shardKey, chunks));
          all.append(text(read(ROUTER, chosen, List.of())));
          all.append(text(read(STANDALONE, chosen, List.of())));
        }
      }
    }
    Golden.check("mongodb-collections.txt", all.toString());
  }

  private static String text(SchemaCollection collection) {
    assertThat(collection.collection()).isEqualTo("data_table");
    String indexes =
        collection.indexes().stream()
            .sorted(Comparator.comparing(index -> index.getString("name").getValue()))
            .map(index -> index.toJson() + "\n")
            .collect(Collectors.joining());
    return indexes + collection.spread().map(Spread::toString).orElse("not sharded") + "\n";
  }

  private static SchemaCollection read(
      ServerKind server, Map<String, ?> chosen, List<Spread.Range> zones) {
    List<SchemaCollection> read =
        SchemaCollection.read(TestSchema.entries("mongodb", chosen), server, zones);
    assertThat(read).hasSize(1);
    return read.get(0);
  }

  /** Mutation: the collection of a folder ignores the section. */
  @Test
  void zonesAreThoseOfTheSectionSchema() {
    String zones =
        "[{'zone': 'low', 'shards': 'a', 'to': '80000000-0000-4000-8000-000000000000'},"
            + " {'zone': 'high', 'shards': 'b,c', 'from':"
            + " '80000000-0000-4000-8000-000000000000'}]";
    SchemaOptions options =
        TestSchema.options("{'shard-key': 'id-filter1', 'zones': %s}".formatted(zones));
    BsonBinary half = new BsonBinary(UUID.fromString("80000000-0000-4000-8000-000000000000"));
    assertThat(read(ROUTER, Map.of("shard_key", "id-filter1"), options.zones()).spread())
        .contains(
            new Spread(
                BsonDocument.parse("{id: 1, filter1: 1}"),
                true,
                0,
                List.of(
                    new Spread.Range("low", List.of("a"), null, half),
                    new Spread.Range("high", List.of("b", "c"), half, null))));
  }

  /** Zones of any values, for a folder of one's own. */
  @Test
  void zonesAreRangesOfTheFirstField() {
    BsonDocument collection =
        BsonDocument.parse(
            "{'shard-key': {'city': 1, 'n': 1}, 'zones':"
                + " [{'zone': 'north', 'shards': ['a', 'b'], 'to': 'M'}, {'zone': 'south',"
                + " 'shards': ['c'], 'from': 'M'}]}");
    Spread spread = Spread.of(collection, List.of());
    assertThat(spread.unique()).isFalse();
    assertThat(spread.ranges())
        .containsExactly(
            BsonDocument.parse(
                "{'min': {'city': {'$minKey': 1}, 'n': {'$minKey': 1}}, 'max': {'city': 'M', 'n':"
                    + " {'$minKey': 1}}, 'tag': 'north'}"),
            BsonDocument.parse(
                "{'min': {'city': 'M', 'n': {'$minKey': 1}}, 'max': {'city': {'$maxKey': 1}, 'n':"
                    + " {'$maxKey': 1}}, 'tag': 'south'}"));
    collection.put("initial-chunks", new BsonInt32(3));
    assertThatThrownBy(() -> Spread.of(collection, List.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "\"initial-chunks\" and \"zones\" exclude each other: zones define the first chunks");
    collection.remove("zones");
    collection.put("initial-chunks", new BsonInt32(8193));
    assertThatThrownBy(() -> Spread.of(collection, List.of()))
        .hasMessage("\"initial-chunks\" is 8193; at most 8192 are possible");
  }

  // What a server answers for indexes that it completes or makes by itself.

  private static final String ID = "{v: 2, key: {_id: 1}, name: '_id_'}";

  /** A check of a collection that has documents. */
  private static void check(FakeRouter router, ServerKind kind, String entry, String... indexes) {
    router
        .expect(
            "app",
            "{listCollections: 1, cursor: {}, filter: {name: 'c'}}",
            rows("{name: 'c', type: 'collection', options: {}}"))
        .expect("app", "{listIndexes: 'c', cursor: {}}", rows(indexes))
        .expect(
            "app",
            "{find: 'c', filter: {}, projection: {_id: 1}, limit: 1, singleBatch: true}",
            rows("{_id: 1}"));
    if (kind.sharded()) {
      router
          .expect(
              "config",
              "{find: 'collections', filter: {_id: 'app.c'}, limit: 1, singleBatch: true}",
              rows("{_id: 'app.c', key: {_id: 'hashed'}}"))
          .expect("config", "{find: 'tags', filter: {ns: 'app.c'}, sort: {min: 1}}", rows());
    }
    try (router;
        MongoClient client = router.client()) {
      SchemaCollection wanted =
          SchemaCollection.read(List.of(BsonDocument.parse(entry)), kind, List.of()).get(0);
      ClusterCatalog server = new ClusterCatalog(client, "app", wanted.collection());
      new Schema(server, wanted, Duration.ZERO, new TestSchema.Sleeps()).check();
      router.assertDone();
    }
  }

  /** As MongoDB 4.0.3 answers. */
  @Test
  void anIndexOfTextsIsKnownAgain() {
    String entry = "{name: 'c', indexes: [{name: 'content', key: {n: 1, 'doc.content': 'text'}}]}";
    String answer =
        "{v: 2, key: {n: 1, _fts: 'text', _ftsx: 1}, name: 'content', weights: {'doc.content': 1},"
            + " default_language: 'english', language_override: 'language', textIndexVersion: 3}";
    check(FakeRouter.primary("4.0.3"), STANDALONE, entry, ID, answer);
    assertThatThrownBy(
            () ->
                check(
                    FakeRouter.primary("4.0.3"),
                    STANDALONE,
                    entry,
                    ID,
                    answer.replace("n: 1", "n: -1")))
        .hasMessageContaining("has index content on (n descending, _fts text, _ftsx ascending)");
  }

  @Test
  void theIndexOfAShardKeyIsTheClustersOwn() {
    String entry = "{name: 'c', 'shard-key': {_id: 'hashed'}}";
    String answer = "{v: 2, key: {_id: 'hashed'}, name: '_id_hashed'}";
    check(FakeRouter.router("8.0.4"), ROUTER, entry, ID, answer);
    assertThatThrownBy(
            () ->
                check(
                    FakeRouter.router("8.0.4"),
                    ROUTER,
                    entry,
                    ID,
                    answer,
                    "{v: 2, key: {a: 1}, name: 'a_1'}"))
        .hasMessageContaining("has an index a_1 that shardload did not create");
  }
}
