package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.FakeRouter.rows;
import static io.shardload.driver.mongodb.schema.SchemaScript.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.FakeRouter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Zones, and what is refused: before anything is changed, with one line that says what to do. */
class SchemaRefusalTest {
  private static final String HOW = "; use another database";
  private static final String TWO_ZONES =
      """
      {shard-key: id-filter1, index: ascending, zones: [
        {zone: east, shards: "s0", to: "80000000-0000-0000-0000-000000000000"},
        {zone: west, shards: "s1", from: "80000000-0000-0000-0000-000000000000"}]}""";
  private static final String EAST = zone("updateZoneKeyRange", FIRST, Q2, "'east'");
  private static final String WEST = zone("updateZoneKeyRange", Q2, LAST, "'west'");

  private final List<Long> slept = new ArrayList<>();

  @Test
  void zonesComeBeforeTheCollectionIsSharded() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router
          .expect("admin", LIST_SHARDS, TWO_SHARDS)
          .expect("admin", ENABLE)
          .expect("app", INDEXES_RANGED)
          .expect("admin", "{addShardToZone: 's0', zone: 'east'}")
          .expect("admin", "{addShardToZone: 's1', zone: 'west'}")
          .expect("admin", EAST)
          .expect("admin", WEST)
          .expect("admin", SHARD_RANGED)
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, TWO_ZONES, false)).isTrue();
      router.assertDone();
    }
  }

  @Test
  void zonesThatAreThereAreNotMadeAgain() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expect("app", LIST_COLLECTIONS, rows())
          .expectFailure("app", LIST_INDEXES, NO_SUCH_NAMESPACE)
          .expect("config", SHARDED, rows())
          .expect("config", ZONES, rows(tag(FIRST, Q2, "east")))
          .expect(
              "admin",
              LIST_SHARDS,
              "{ok: 1, shards: [{_id: 's0', tags: ['east']}, {_id: 's1', tags: ['west']}]}")
          .expect("admin", ENABLE)
          .expect("app", INDEXES_RANGED)
          .expect("admin", WEST)
          .expect("admin", SHARD_RANGED)
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, TWO_ZONES, false)).isTrue();
      router.assertDone();
    }
  }

  /** Before 5.0 the ranges of a dropped collection stay, and would bind the next one. */
  @Test
  void recreateReleasesRangesThatADroppedCollectionLeftBehind() {
    try (FakeRouter router = FakeRouter.router("4.4.29")) {
      router
          .expect("app", "{drop: 'shardload_header'}")
          .expect("app", "{drop: 'shardload_state'}")
          .expect("app", "{drop: 'data_table'}")
          .expect("app", LIST_COLLECTIONS, rows())
          .expectFailure("app", LIST_INDEXES, NO_SUCH_NAMESPACE)
          .expect("config", SHARDED, rows("{_id: 'app.data_table', dropped: true}"))
          .expect("config", ZONES, rows(tag(FIRST, Q2, "east")))
          .expect("admin", ENABLE)
          .expect("app", INDEXES_HASHED)
          .expect("admin", zone("updateZoneKeyRange", FIRST, Q2, "null"))
          .expect("admin", SHARD_HASHED)
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, HASHED, true)).isTrue();
      router.assertDone();
    }
  }

  /** The server compares the bytes of ids without a sign. */
  @Test
  void aZoneMayHoldTheMiddle() {
    String zone = "{shard-key: id-filter1, zones: [{zone: a, shards: s0, from: '%s', to: '%s'}]}";
    String low = "7fffffff-0000-4000-8000-000000000000";
    String high = "80000000-0000-4000-8000-000000000000";
    assertThat(options(zone.formatted(low, high)).zones()).hasSize(1);
    assertThatThrownBy(() -> options(zone.formatted(high, low)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("is not above " + high);
  }

  @Test
  void zonesOfShardsThatAreNotThere() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router.expect("admin", LIST_SHARDS, "{ok: 1, shards: [{_id: 's0'}, {_id: 's2'}]}");
      assertThatThrownBy(() -> create(slept, router, TWO_ZONES, false))
          .isInstanceOf(ConfigException.class)
          .hasMessage("unknown shard 's1' (known: s0, s2)");
      router.assertDone();
    }
  }

  @Test
  void aShardThatIsBeingEmptiedGetsNothing() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router
          .expect(
              "admin",
              LIST_SHARDS,
              "{ok: 1, shards: [{_id: 's0'}, {_id: 's1', draining: true}, {_id: 's2'}]}")
          .expect("admin", ENABLE)
          .expect("app", INDEXES_RANGED)
          .expect("admin", SHARD_RANGED)
          .expect("config", SHARDED, rows(SHARDED_BY_RANGE))
          .expect("config", CHUNKS, rows(chunk(FIRST, LAST, "s0")))
          .expect("admin", split(Q2))
          .expect("config", CHUNKS, rows(chunk(FIRST, Q2, "s0"), chunk(Q2, LAST, "s0")))
          .expect("admin", move(Q2, LAST, "s2"))
          .expect("admin", BALANCED, COMPLIANT);
      create(slept, router, RANGED, false);
      router.assertDone();
    }
  }

  @Test
  void aMoveThatTheBalancerIsInTheWayOfIsTriedAgain() {
    try (FakeRouter router = FakeRouter.router("5.0.30")) {
      expectNothingThere(router);
      String halves = rows(chunk(FIRST, Q2, "s0"), chunk(Q2, LAST, "s0"));
      router
          .expect("admin", LIST_SHARDS, TWO_SHARDS)
          .expect("admin", ENABLE)
          .expect("app", INDEXES_RANGED)
          .expect("admin", SHARD_RANGED)
          .expect("config", SHARDED, rows(SHARDED_BY_RANGE))
          .expect("config", CHUNKS, rows(chunk(FIRST, LAST, "s0")))
          .expect("admin", split(Q2))
          .expect("config", CHUNKS, halves)
          .expectFailure("admin", move(Q2, LAST, "s1"), CONFLICTING_OPERATION)
          .expect("config", CHUNKS, halves)
          .expect("admin", move(Q2, LAST, "s1"))
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, RANGED, false)).isTrue();
      router.assertDone();
      assertThat(slept).hasSize(1);
    }
  }

  @Test
  void fewerChunksThanShards() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router.expect("admin", LIST_SHARDS, TWO_SHARDS);
      String one = "{shard-key: id-filter1, index: ascending, initial-chunks: 1}";
      assertThatThrownBy(() -> create(slept, router, one, false))
          .hasMessage("1 is below the number of shards, 2: some would stay empty");
      router.assertDone();
    }
  }

  @Test
  void anotherShardKey() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expect("app", LIST_COLLECTIONS, rows(PLAIN))
          .expect("app", LIST_INDEXES, rows(INDEXES_THERE))
          .expect("app", ANY_DOCUMENT, rows("{_id: 'a'}"))
          .expect("config", SHARDED, rows(SHARDED_BY_HASH));
      assertThatThrownBy(() -> create(slept, router, RANGED, false))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "collection app.data_table is there and has shard key {\"id\": \"hashed\"} instead of"
                  + " {\"id\": 1, \"filter1\": 1}"
                  + HOW);
      router.assertDone();
    }
  }

  @Test
  void documentsThatAreNotSharded() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expect("app", LIST_COLLECTIONS, rows(PLAIN))
          .expect("app", LIST_INDEXES, rows(INDEXES_THERE))
          .expect("app", ANY_DOCUMENT, rows("{_id: 'a'}"))
          .expect(
              "config",
              SHARDED,
              rows("{_id: 'app.data_table', unsplittable: true, key: {_id: 1}}"));
      assertThatThrownBy(() -> create(slept, router, RANGED, false))
          .hasMessage(
              "collection app.data_table is there and has documents, but is not sharded" + HOW);
      router.assertDone();
    }
  }

  @Test
  void zonesThatAreNotOurs() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expect("app", LIST_COLLECTIONS, rows(PLAIN))
          .expect("app", LIST_INDEXES, rows(INDEXES_THERE))
          .expect("app", ANY_DOCUMENT, rows())
          .expect("config", SHARDED, rows(SHARDED_BY_RANGE))
          .expect("config", ZONES, rows(tag(FIRST, LAST, "north")));
      assertThatThrownBy(() -> create(slept, router, RANGED, false))
          .hasMessageStartingWith("collection app.data_table is there and has a zone that is not")
          .hasMessageContaining("\"tag\": \"north\"")
          .hasMessageEndingWith(HOW);
      router.assertDone();
    }
  }

  @Test
  void aMemberOfAReplicaSetWhereAClusterWasAskedFor() {
    try (FakeRouter primary = FakeRouter.primary("8.0.4")) {
      assertThatThrownBy(() -> create(slept, primary, RANGED, false))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "needs a sharded cluster, but target.url leads to MongoDB 8.0.4 (member of a replica"
                  + " set); give the address of a mongos, or leave schema.shard-key out")
          .extracting("key")
          .isEqualTo("schema.shard-key");
      primary.assertDone();
    }
  }

  /** Without shards there is only a collection with its indexes. */
  @Test
  void aReplicaSet() {
    try (FakeRouter primary = FakeRouter.primary("8.0.4")) {
      primary
          .expect("app", LIST_COLLECTIONS, rows())
          .expectFailure("app", LIST_INDEXES, NO_SUCH_NAMESPACE)
          .expect("app", INDEXES_RANGED);
      assertThat(create(slept, primary, "{index: ascending}", false)).isTrue();
      primary.assertDone();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{shard-key: hash} | unknown value 'hash' (known: hashed, id-filter1)",
        "{chunks: 3} | unknown option 'chunks'",
        "{initial-chunks: 0} | 0 is outside 1 to 8192",
        "{shard-key: hashed, zones: [{zone: a, shards: s0}]} | zones are ranges of id",
        "{shard-key: id-filter1, initial-chunks: 4, zones: [{zone: a, shards: s0}]} | does not go",
        "{shard-key: id-filter1, zones: [{zone: a, shards: s0, to: 1-1-1-1-1}]} | '1-1-1-1-1' is",
        "{shard-key: id-filter1, zones: [{zone: a, shards: s0}, {zone: b, shards: s1}]} | ids of",
        "{shard-key: id-filter1, zones: [{zone: a, shards: 's0,'}]} | is not a list of names",
      })
  void optionsThatDoNotGoTogether(String options, String message) {
    assertThatThrownBy(() -> options(options))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(message);
  }

  private static String zone(String command, String min, String max, String zone) {
    return "{%s: 'app.data_table', min: %s, max: %s, zone: %s}".formatted(command, min, max, zone);
  }

  private static String tag(String min, String max, String zone) {
    return "{_id: 1, ns: 'app.data_table', min: %s, max: %s, tag: '%s'}".formatted(min, max, zone);
  }
}
