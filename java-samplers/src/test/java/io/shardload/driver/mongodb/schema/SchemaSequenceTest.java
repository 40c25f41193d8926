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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The administration commands for a sharded cluster, one by one, with all their arguments, on a
 * socket. The fake knows no MongoDB: the literals here are what a cluster is to be told.
 */
class SchemaSequenceTest {
  private final List<Long> slept = new ArrayList<>();
  private final List<String> told = new ArrayList<>();

  private void told(String what, long done, long total, String unit) {
    told.add(what + " " + done + " of " + total + " " + unit);
  }

  @Test
  void freshHashed() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router
          .expect("admin", ENABLE)
          .expect("app", INDEXES_HASHED)
          .expect("admin", SHARD_HASHED)
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, HASHED, false)).isTrue();
      router.assertDone();
    }
  }

  @Test
  void hashedIsTheShardKeyOfRoutersWhereNoneIsSet() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router
          .expect("admin", ENABLE)
          .expect("app", INDEXES_HASHED)
          .expect("admin", SHARD_HASHED)
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, "{}", false)).isTrue();
      router.assertDone();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.4.29", "6.0.9", "7.0.12"})
  void olderServersTakeTheNumberOfHashedChunks(String version) {
    try (FakeRouter router = FakeRouter.router(version)) {
      expectNothingThere(router);
      router
          .expect("admin", ENABLE)
          .expect("app", INDEXES_HASHED)
          .expect(
              "admin",
              "{shardCollection: 'app.data_table', key: {id: 'hashed'}, numInitialChunks: 12}")
          .expect("admin", BALANCED, COMPLIANT);
      create(slept, router, "{shard-key: hashed, initial-chunks: 12}", false);
      router.assertDone();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"7.2.0", "8.0.4"})
  void newerServersDoNotAndSoItIsRefused(String version) {
    try (FakeRouter router = FakeRouter.router(version)) {
      assertThatThrownBy(
              () -> create(slept, router, "{shard-key: hashed, initial-chunks: 12}", false))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "MongoDB "
                  + version
                  + " makes one chunk per shard of a hashed key, whatever is asked; leave it out,"
                  + " or set schema.shard-key=id-filter1")
          .extracting("key")
          .isEqualTo("schema.initial-chunks");
      router.assertDone();
    }
  }

  @Test
  void freshRangedIsSplitEvenlyAndDealtToTheShards() {
    try (FakeRouter router = FakeRouter.router("7.0.12")) {
      expectNothingThere(router);
      router
          .expect("admin", LIST_SHARDS, TWO_SHARDS)
          .expect("admin", ENABLE)
          .expect("app", INDEXES_RANGED)
          .expect("admin", SHARD_RANGED)
          .expect("config", SHARDED, rows(SHARDED_BY_RANGE))
          .expect("config", CHUNKS, rows(chunk(FIRST, LAST, "s0")))
          .expect("admin", split(Q2))
          .expect("config", CHUNKS, rows(chunk(FIRST, Q2, "s0"), chunk(Q2, LAST, "s0")))
          .expect("admin", move(Q2, LAST, "s1"))
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, RANGED, false, this::told)).isTrue();
      router.assertDone();
      assertThat(told).containsExactly("splitting 1 of 1 chunks", "moving 1 of 1 chunks");
    }
  }

  /** The steps of a fresh one, each done or not; whatever was done must not be done again. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
  void anInterruptedOneIsTakenUpWhereItStopped(int done) {
    try (FakeRouter router = FakeRouter.router("7.0.12")) {
      if (done < 2) {
        expectNothingThere(router);
      } else {
        router
            .expect("app", LIST_COLLECTIONS, rows(PLAIN))
            .expect("app", LIST_INDEXES, rows(INDEXES_THERE))
            .expect("app", ANY_DOCUMENT, rows())
            .expect("config", SHARDED, done < 3 ? rows() : rows(SHARDED_BY_RANGE))
            .expect("config", ZONES, rows());
      }
      router.expect("admin", LIST_SHARDS, TWO_SHARDS);
      List<Runnable> steps =
          List.of(
              () -> router.expect("admin", ENABLE),
              () -> router.expect("app", INDEXES_RANGED),
              () -> router.expect("admin", SHARD_RANGED));
      // Whether sharding is enabled shows only in a collection that is sharded: it is said again.
      if (done < 3) {
        steps.get(0).run();
      }
      steps.subList(Math.max(1, Math.min(done, 3)), 3).forEach(Runnable::run);
      router
          .expect("config", SHARDED, rows(SHARDED_BY_RANGE))
          .expect("config", CHUNKS, chunksAfter(Math.max(0, done - 3)));
      List<String> splits = List.of(split(Q1), split(Q2), split(Q3));
      splits.subList(Math.min(3, Math.max(0, done - 3)), 3).forEach(s -> router.expect("admin", s));
      router.expect("config", CHUNKS, chunksAfter(Math.max(3, done - 3)));
      List<String> moves = List.of(move(Q1, Q2, "s1"), move(Q3, LAST, "s1"));
      moves.subList(Math.max(0, done - 6), 2).forEach(m -> router.expect("admin", m));
      router.expect("admin", BALANCED, COMPLIANT);

      assertThat(create(slept, router, RANGED_OF_FOUR, false)).isEqualTo(done < 8);
      router.assertDone();
    }
  }

  @Test
  void aRepeatedRunOnlyLooks() {
    try (FakeRouter router = FakeRouter.router("7.0.12")) {
      router
          .expect("app", LIST_COLLECTIONS, rows(PLAIN))
          .expect("app", LIST_INDEXES, rows(INDEXES_THERE))
          .expect("app", ANY_DOCUMENT, rows("{_id: 'a'}"))
          .expect("config", SHARDED, rows(SHARDED_BY_RANGE))
          .expect("config", ZONES, rows())
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, RANGED_OF_FOUR, false)).isFalse();
      router.assertDone();
    }
  }

  @Test
  void recreateDropsTheHeaderFirst() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .expect("app", "{drop: 'shardload_header'}")
          .expectFailure("app", "{drop: 'shardload_state'}", NO_SUCH_NAMESPACE)
          .expect("app", "{drop: 'data_table'}");
      expectNothingThere(router);
      router
          .expect("admin", ENABLE)
          .expect("app", INDEXES_HASHED)
          .expect("admin", SHARD_HASHED)
          .expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, HASHED, true)).isTrue();
      router.assertDone();
    }
  }

  @Test
  void aBusyBalancerIsWaitedFor() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router.expect("admin", ENABLE).expect("app", INDEXES_HASHED).expect("admin", SHARD_HASHED);
      expectBusyBalancer(router).expect("admin", BALANCED, COMPLIANT);
      assertThat(create(slept, router, HASHED, false, this::told)).isTrue();
      router.assertDone();
      assertThat(slept).isEqualTo(List.of(1_000_000_000L, 1_000_000_000L));
      assertThat(told)
          .containsExactly(
              "waiting for the balancer (chunksImbalance) 1 of 300 seconds",
              "waiting for the balancer (chunksImbalance) 2 of 300 seconds");
    }
  }

  @Test
  void butNotForEver() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router.expect("admin", ENABLE).expect("app", INDEXES_HASHED).expect("admin", SHARD_HASHED);
      expectBusyBalancer(router)
          .expect("admin", BALANCED, IMBALANCE)
          .expect("admin", "{balancerStatus: 1}", "{ok: 1, mode: 'full'}");
      assertThatThrownBy(
              () -> create(slept, router, "{shard-key: hashed, wait-for-balancer: 2s}", false))
          .hasMessage(
              "chunks of app.data_table still have to be moved after 2s (chunksImbalance);"
                  + " run the same again to wait on");
      router.assertDone();
    }
  }

  @Test
  void aBalancerThatIsOffIsNotWaitedFor() {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      expectNothingThere(router);
      router
          .expect("admin", ENABLE)
          .expect("app", INDEXES_HASHED)
          .expect("admin", SHARD_HASHED)
          .expect("admin", BALANCED, IMBALANCE)
          .expect("admin", "{balancerStatus: 1}", "{ok: 1, mode: 'off'}");
      assertThatThrownBy(() -> create(slept, router, HASHED, false))
          .hasMessage(
              "chunks have to be moved (chunksImbalance), but the cluster's balancer is off");
      router.assertDone();
    }
  }
}
