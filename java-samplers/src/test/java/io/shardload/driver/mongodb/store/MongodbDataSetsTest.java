package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.workload.CallFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The data set's record, on a real FerretDB and on the fake. */
class MongodbDataSetsTest {
  private static final Header FIRST =
      new Header(
          "document-store", Map.of("seed", "1", "a.b", "$c"), 4, 0, 0, 0, "", "set", List.of());

  @ParameterizedTest
  @EnumSource
  void headersAndChunksAreKept(Kind kind) throws CallFailure {
    try (Target target = kind.fresh().open("{}")) {
      DataSetStore store = target.dataSets();
      assertThat(store.header()).isEmpty();
      assertThat(store.replace(FIRST, FIRST.withLoaded(1))).isFalse();
      store.raiseHighWater(3);

      store.create(FIRST);
      assertThat(store.header()).contains(FIRST);
      assertThatThrownBy(() -> store.create(FIRST)).isInstanceOf(CallFailure.class);
      assertThat(store.replace(FIRST, FIRST.withLoaded(4))).isTrue();
      assertThat(store.replace(FIRST, FIRST.dirtiedBy("late"))).isFalse();
      store.raiseHighWater(9);
      store.raiseHighWater(7);
      assertThat(store.header().orElseThrow().highWater()).isEqualTo(9);
      assertThat(store.header().orElseThrow().loaded()).isEqualTo(4);

      store.writeChunk(1, 0, new byte[] {1, 2});
      store.writeChunk(1, 0, new byte[] {3});
      store.writeChunk(2, 0, new byte[] {4});
      assertThat(store.readChunk(1, 0).orElseThrow()).containsExactly(3);
      store.keepOnly(2);
      assertThat(store.readChunk(1, 0)).isEmpty();
      assertThat(store.readChunk(2, 0).orElseThrow()).containsExactly(4);
      assertThat(store.readChunk(2, 1)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyOneOfManyReplacesAHeader(Kind kind) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (Target target = kind.fresh().open("{}")) {
      DataSetStore store = target.dataSets();
      store.create(FIRST);
      for (int round = 0; round < 30; round++) {
        Header before = store.header().orElseThrow();
        List<Callable<Boolean>> rivals = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          String run = "run-" + round + "-" + i;
          rivals.add(() -> store.replace(before, before.dirtiedBy(run)));
        }
        int winners = 0;
        for (Future<Boolean> rival : threads.invokeAll(rivals)) {
          winners += rival.get() ? 1 : 0;
        }
        assertThat(winners).isEqualTo(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Far more versions than are kept; the highest mark of all wins. */
  @ParameterizedTest
  @EnumSource
  void manyRaiseTheHighWaterMarkAtOnce(Kind kind) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (Target target = kind.fresh().open("{}")) {
      DataSetStore store = target.dataSets();
      store.create(FIRST);
      List<Callable<Boolean>> raises = new ArrayList<>();
      for (long mark = 1; mark <= 250; mark++) {
        long to = mark;
        raises.add(
            () -> {
              store.raiseHighWater(to);
              return store.header().orElseThrow().highWater() >= to;
            });
      }
      for (Future<Boolean> raised : threads.invokeAll(raises)) {
        assertThat(raised.get()).isTrue();
      }
      assertThat(store.header().orElseThrow().highWater()).isEqualTo(250);
      assertThatThrownBy(() -> store.create(FIRST)).isInstanceOf(CallFailure.class);
    } finally {
      threads.shutdownNow();
    }
  }
}
