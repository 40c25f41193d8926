package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.schema.Spread.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.mongodb.client.ClusterCatalog.Chunk;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.MongodbStorage;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds on a sharded cluster of at least two shards that no other client uses. */
abstract class ShardedSchemaContract extends SchemaContract {
  static final String HASHED = "{shard-key: hashed}";
  static final String RANGED = "{shard-key: id-filter1, index: ascending}";
  static final BsonDocument FIRST = place("{$minKey: 1}");
  static final BsonDocument MIDDLE = place("{$uuid: '" + HALF + "'}");
  static final BsonDocument LAST = BsonDocument.parse("{id: {$maxKey: 1}, filter1: {$maxKey: 1}}");

  static BsonDocument place(String id) {
    return BsonDocument.parse("{id: " + id + ", filter1: {$minKey: 1}}");
  }

  /** Twice as many chunks as shards. */
  private String rangedInPieces() {
    return "{shard-key: id-filter1, index: ascending, initial-chunks: %d}"
        .formatted(2 * shards().size());
  }

  String zones() {
    return """
        {shard-key: id-filter1, index: ascending, zones: [
          {zone: shardload_east, shards: "%s", to: "%s"},
          {zone: shardload_west, shards: "%s", from: "%s"}]}"""
        .formatted(shards().get(0), HALF, shards().get(1), HALF);
  }

  final List<String> shards() {
    return catalog.shards().stream().map(Shard::name).toList();
  }

  final List<Chunk> chunks() {
    return catalog.chunks(catalog.sharded());
  }

  @Override
  void cleanUp() {
    super.cleanUp();
    catalog.zoneRanges().forEach(zone -> bind(zone, null));
    for (Shard shard : catalog.shards()) {
      shard.zones().stream()
          .filter(zone -> zone.startsWith("shardload_"))
          .forEach(zone -> catalog.runAdmin("removeShardFromZone", shard.name(), "zone", zone));
    }
  }

  final void bind(BsonDocument range, String zone) {
    catalog.runAdmin(
        "updateZoneKeyRange",
        catalog.namespace(),
        "min",
        range.get("min"),
        "max",
        range.get("max"),
        "zone",
        zone == null ? BsonNull.VALUE : zone);
  }

  @Override
  List<Object> state() {
    List<Object> state = new ArrayList<>(super.state());
    BsonDocument sharded = catalog.sharded();
    if (sharded != null) {
      state.add(Schema.wholeNumbers(sharded.getDocument("key")));
      state.add(sharded.get("unique"));
      state.addAll(chunks());
    }
    catalog.zoneRanges().forEach(zone -> state.add(zone.get("min") + " in " + zone.get("tag")));
    catalog.shards().forEach(shard -> state.add(shard.name() + " in " + shard.zones()));
    return state;
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", HASHED})
  void hashedIsTheDefault(String options) {
    assertThat(make(options, false)).isTrue();
    assertThat(indexes())
        .contains("data_table_id_hashed {id: hashed}", "data_table_filter4 {filter4: hashed}")
        .hasSize(8);
    assertThat(catalog.sharded().getDocument("key").toJson()).isEqualTo("{\"id\": \"hashed\"}");
    assertThat(chunks()).extracting(Chunk::shard).containsAll(shards());
    assertThat(make(options, false)).isFalse();
  }

  @Test
  void rangesAreOfOneSizeAndDealtToTheShardsInTurn() {
    assertThat(make(rangedInPieces(), false)).isTrue();
    assertThat(indexes()).hasSize(7);
    assertThat(Schema.wholeNumbers(catalog.sharded().getDocument("key")).toJson())
        .isEqualTo("{\"id\": 1, \"filter1\": 1}");
    assertThat(catalog.sharded().getBoolean("unique").getValue()).isTrue();
    int pieces = 2 * shards().size();
    List<Chunk> chunks = chunks();
    assertThat(chunks).hasSize(pieces);
    assertThat(chunks.get(pieces / 2).min()).isEqualTo(MIDDLE);
    for (int i = 0; i < pieces; i++) {
      assertThat(chunks.get(i).shard()).isEqualTo(shards().get(i % shards().size()));
      assertThat(chunks.get(i).max()).isEqualTo(i + 1 == pieces ? LAST : chunks.get(i + 1).min());
    }
    insertDocument();
    assertThat(make(rangedInPieces(), false)).isFalse();
    assertThat(changes).isEmpty();
  }

  /** Zones come before the collection is sharded: their ranges are its first chunks. */
  @Test
  void zonesAreTheFirstChunks() {
    assertThat(make(zones(), false)).isTrue();
    assertThat(chunks())
        .containsExactly(
            new Chunk(FIRST, MIDDLE, shards().get(0)), new Chunk(MIDDLE, LAST, shards().get(1)));
    assertThat(String.join("\n", changes)).doesNotContain("moveChunk", "\"split\"");
    assertThat(new MongodbStorage(catalog, ServerKind.ask(admin)).read().facts())
        .containsEntry("zone.shardload_east", FIRST.toJson() + " to " + MIDDLE.toJson());
    assertThat(make(zones(), false)).isFalse();
    assertThat(changes).isEmpty();
  }

  /** After how many of the steps one is interrupted. */
  abstract List<Integer> interruptions(int steps);

  /** Whatever was done is not done again. */
  @ParameterizedTest
  @ValueSource(strings = {"hashed", "ranged", "zones"})
  void anInterruptedOneIsTakenUpWhereItStopped(String kind) {
    String options =
        kind.equals("hashed") ? HASHED : kind.equals("zones") ? zones() : rangedInPieces();
    make(options, false);
    List<Object> whole = state();
    List<String> steps = List.copyOf(changes);
    for (int after : interruptions(steps.size())) {
      cleanUp();
      assertThat(interrupted(options, false, after)).isTrue();
      List<String> both = new ArrayList<>(changes);
      assertThat(make(options, false)).as("after %d of %s", after, steps).isTrue();
      both.addAll(changes);
      // Whether sharding is enabled shows only in a collection that is sharded: it is said again.
      both.removeIf(change -> change.contains("enableSharding"));
      assertThat(both)
          .containsExactlyElementsOf(
              steps.stream().filter(change -> !change.contains("enableSharding")).toList());
      assertThat(state()).isEqualTo(whole);
    }
  }

  /** Servers from 7.2 on decide themselves. */
  @Test
  void theNumberOfHashedChunks() {
    String options = "{shard-key: hashed, initial-chunks: 12}";
    ServerKind kind = ServerKind.ask(admin);
    if (kind.takesInitialChunks()) {
      assertThat(make(options, false)).isTrue();
      assertThat(chunks()).hasSize(12);
    } else {
      assertRefused(options, SchemaOptionsTest.noInitialChunks(kind.version()));
    }
  }

  /** Before 5.0 the ranges of a dropped collection stay, and would bind the next one. */
  @Test
  void recreateReleasesRangesThatADroppedCollectionLeftBehind() {
    make(zones(), false);
    assertThat(make(HASHED, true)).isTrue();
    assertThat(catalog.zoneRanges()).isEmpty();
    assertThat(make(HASHED, false)).isFalse();
  }

  @Test
  void anotherShardKey() {
    make("{shard-key: hashed, index: ascending}", false);
    bson().getCollection("data_table").dropIndex("data_table_id_hashed");
    assertOther(
        RANGED, "has shard key {\"id\": \"hashed\"} instead of {\"id\": 1, \"filter1\": 1}");
  }

  @Test
  void documentsThatAreNotSharded() {
    interrupted(RANGED, false, 2);
    insertDocument();
    assertOther(RANGED, "has documents, but is not sharded");
  }

  @Test
  void otherZones() {
    make(zones(), false);
    BsonDocument east = range(FIRST, MIDDLE, "shardload_east");
    assertOther(RANGED, "has a zone that shardload did not create: " + east.toJson());
    bind(east, null);
    insertDocument();
    assertOther(zones(), "has documents, but not the zone " + east.toJson());
  }

  @Test
  void shardsThatAreNotThereOrInTheZoneAlready() {
    assertRefused(
        zones().replace('"' + shards().get(1) + '"', "none"),
        "unknown shard \"none\"; known are " + String.join(", ", shards()));
    catalog.runAdmin("addShardToZone", shards().get(1), "zone", "shardload_east");
    assertRefused(
        zones(),
        "shard %s is in zone 'shardload_east' already; add it to the shards of this zone"
            .formatted(shards().get(1)));
  }

  @Test
  void fewerChunksThanShards() {
    assertRefused(
        "{shard-key: id-filter1, index: ascending, initial-chunks: 1}",
        "1 is below the number of shards, %d: some shards would stay empty"
            .formatted(shards().size()));
  }
}
