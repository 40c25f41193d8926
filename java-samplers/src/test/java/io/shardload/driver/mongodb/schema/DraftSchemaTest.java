package io.shardload.driver.mongodb.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.Golden;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.statements.DraftFolder;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The collection of the draft of document-store as a folder is that of the built-in workload. */
class DraftSchemaTest {
  private static final ServerKind ROUTER = new ServerKind(ServerKind.Product.ROUTER, "6.0.1");
  private static final ServerKind STANDALONE =
      new ServerKind(ServerKind.Product.STANDALONE, "6.0.1");

  @ParameterizedTest
  @CsvSource({
    "hashed, hashed, 0",
    "hashed, hashed, 64",
    "ascending, hashed, 0",
    "hashed, id-filter1, 0",
    "ascending, id-filter1, 12"
  })
  void theCollectionIsThatOfTheBuiltInWorkload(String index, String shardKey, int chunks) {
    String more = chunks == 0 ? "" : ", 'initial-chunks': " + chunks;
    SchemaOptions options =
        TestSchema.options("{'index': '%s', 'shard-key': '%s'%s}".formatted(index, shardKey, more));
    List<BsonDocument> folder =
        collections(Map.of("index", index, "shard_key", shardKey, "initial_chunks", chunks));
    SchemaFile builtIn = SchemaFile.read(ROUTER, options.on(ROUTER));
    assertThat(indexes(folder, true)).isEqualTo(named(builtIn.indexes()));
    assertThat(Optional.of(Spread.of(folder.get(folder.size() - 1)))).isEqualTo(builtIn.spread());
    SchemaOptions alone = TestSchema.options("{'index': '%s'}".formatted(index));
    assertThat(indexes(folder, false))
        .isEqualTo(named(SchemaFile.read(STANDALONE, alone).indexes()));
  }

  /** What is asked of a server, of the folder and of the built-in workload. */
  @Test
  void theCollectionInFull() {
    StringBuilder ofFolder = new StringBuilder();
    StringBuilder ofBuiltIn = new StringBuilder();
    for (String index : List.of("hashed", "ascending")) {
      for (String shardKey : List.of("hashed", "id-filter1")) {
        for (int chunks : new int[] {0, 64}) {
          String title = "%s %s %d\n".formatted(index, shardKey, chunks);
          List<BsonDocument> folder =
              collections(Map.of("index", index, "shard_key", shardKey, "initial_chunks", chunks));
          Spread spread = Spread.of(folder.get(folder.size() - 1));
          ofFolder.append(title).append(text(indexes(folder, true), Optional.of(spread)));
          ofFolder.append(text(indexes(folder, false), Optional.empty()));
          SchemaOptions options =
              TestSchema.options(
                  "{'index': '%s', 'shard-key': '%s'%s}"
                      .formatted(
                          index, shardKey, chunks == 0 ? "" : ", 'initial-chunks': " + chunks));
          SchemaFile sharded = SchemaFile.read(ROUTER, options.on(ROUTER));
          SchemaFile alone =
              SchemaFile.read(
                  STANDALONE,
                  TestSchema.options("{'index': '%s'}".formatted(index)).on(STANDALONE));
          ofBuiltIn.append(title).append(text(named(sharded.indexes()), sharded.spread()));
          ofBuiltIn.append(text(named(alone.indexes()), alone.spread()));
        }
      }
    }
    Golden.check("mongodb-collections.txt", ofBuiltIn.toString());
    Golden.check("mongodb-collections.txt", ofFolder.toString());
  }

  private static String text(Map<String, BsonDocument> indexes, Optional<Spread> spread) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(indexes).values().forEach(one -> text.append(one.toJson()).append('\n'));
    return text + spread.map(Spread::toString).orElse("not sharded") + "\n";
  }

  private static List<BsonDocument> collections(Map<String, ?> chosen) {
    List<BsonDocument> collections = new ArrayList<>();
    for (Statement statement : DraftFolder.schema("mongodb", chosen)) {
      String command = ((CommandStatement) statement).command().toString();
      collections.add(BsonDocument.parse(command));
    }
    return collections;
  }

  private static Map<String, BsonDocument> indexes(
      List<BsonDocument> collections, boolean sharded) {
    List<BsonDocument> all = new ArrayList<>();
    for (BsonDocument collection : collections) {
      assertThat(collection.get("name")).isEqualTo(new BsonString("data_table"));
      for (BsonValue index : collection.getArray("indexes", new BsonArray())) {
        BsonDocument own = index.asDocument().clone();
        if (own.remove("sharded") == null || sharded) {
          all.add(own);
        }
      }
    }
    return named(all);
  }

  private static Map<String, BsonDocument> named(List<BsonDocument> indexes) {
    Map<String, BsonDocument> named = new LinkedHashMap<>();
    indexes.forEach(index -> named.put(index.getString("name").getValue(), index));
    return named;
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
    List<BsonDocument> folder = collections(Map.of("index", "hashed", "shard_key", "id-filter1"));
    assertThat(Optional.of(Spread.of(folder.get(folder.size() - 1), options.ranges())))
        .isEqualTo(SchemaFile.read(ROUTER, options.on(ROUTER)).spread());
  }

  /** Zones of any values, for a folder of one's own. */
  @Test
  void zonesAreRangesOfTheFirstField() {
    BsonDocument collection =
        BsonDocument.parse(
            "{'shard-key': {'city': 1, 'n': 1}, 'zones':"
                + " [{'zone': 'north', 'shards': ['a', 'b'], 'to': 'M'}, {'zone': 'south',"
                + " 'shards': ['c'], 'from': 'M'}]}");
    Spread spread = Spread.of(collection);
    assertThat(spread.unique()).isFalse();
    assertThat(SchemaKeys.of(spread.key()).ranges(spread.zones()))
        .containsExactly(
            BsonDocument.parse(
                "{'min': {'city': {'$minKey': 1}, 'n': {'$minKey': 1}}, 'max': {'city': 'M', 'n':"
                    + " {'$minKey': 1}}, 'tag': 'north'}"),
            BsonDocument.parse(
                "{'min': {'city': 'M', 'n': {'$minKey': 1}}, 'max': {'city': {'$maxKey': 1}, 'n':"
                    + " {'$maxKey': 1}}, 'tag': 'south'}"));
    collection.put("initial-chunks", new BsonInt32(3));
    assertThatThrownBy(() -> Spread.of(collection))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "\"initial-chunks\" and \"zones\" exclude each other: zones define the first chunks");
    collection.remove("zones");
    collection.put("initial-chunks", new BsonInt32(8193));
    assertThatThrownBy(() -> Spread.of(collection))
        .hasMessage("\"initial-chunks\" is 8193; at most 8192 are possible");
  }
}
