package io.shardload.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link Ranges} must hold, whoever uses it at the same time. */
abstract class RangesContract {
  static final long HIGH_WATER = 12_345;
  static final int SIZE = 64;

  /** A further user of the ranges of one and the same run; what generators are to each other. */
  abstract Ranges join();

  /** Mutation: return the end of the range instead of its first ordinal. */
  @Test
  void beginsAtTheHighWaterMark() {
    try (Ranges ranges = join()) {
      assertThat(ranges.size()).isEqualTo(SIZE);
      assertThat(ranges.next()).isEqualTo(HIGH_WATER);
      assertThat(ranges.next()).isEqualTo(HIGH_WATER + SIZE);
    }
  }

  /** Mutation: get and set instead of an atomic increment. */
  @Test
  void rangesOfManyUsersAreDisjointAndLeaveNoGap() throws Exception {
    int users = 4;
    int each = 500;
    ExecutorService threads = Executors.newFixedThreadPool(users);
    try {
      List<Callable<List<Long>>> tasks = new ArrayList<>();
      for (int i = 0; i < users; i++) {
        tasks.add(() -> take(each));
      }
      List<Long> all = new ArrayList<>();
      for (var result : threads.invokeAll(tasks)) {
        all.addAll(result.get());
      }
      assertThat(all.stream().sorted())
          .containsExactlyElementsOf(
              LongStream.range(0, (long) users * each)
                  .mapToObj(i -> HIGH_WATER + i * SIZE)
                  .toList());
    } finally {
      threads.shutdown();
    }
  }

  private List<Long> take(int count) {
    List<Long> taken = new ArrayList<>();
    try (Ranges ranges = join()) {
      for (int i = 0; i < count; i++) {
        taken.add(ranges.next());
      }
    }
    return taken;
  }
}
