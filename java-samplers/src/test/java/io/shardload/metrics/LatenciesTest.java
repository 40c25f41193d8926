package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenciesTest {
  /**
   * Every slot is the library's own. Mutation: LOWEST_BITS 7 turns it red, and so does any other
   * division.
   */
  @Test
  void slotsAreThoseOfTheHistogram() {
    Histogram histogram = Slots.histogram();
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      long lowest = Slots.lowest(slot);
      assertThat(histogram.lowestEquivalentValue(lowest)).isEqualTo(lowest);
      long highest = histogram.highestEquivalentValue(lowest);
      assertThat(Slots.of(lowest)).isEqualTo(slot);
      assertThat(Slots.of(highest)).isEqualTo(slot);
      if (slot + 1 < Slots.COUNT) {
        assertThat(Slots.lowest(slot + 1)).isEqualTo(highest + 1);
      }
    }
  }

  /** 131 072 ns is the first value of the second bucket, where slots are 128 ns wide. */
  @Test
  void literalSlots() {
    assertThat(Slots.of(0)).isEqualTo(0);
    assertThat(Slots.of(63)).isEqualTo(0);
    assertThat(Slots.of(64)).isEqualTo(1);
    assertThat(Slots.of(131_071)).isEqualTo(2047);
    assertThat(Slots.of(131_072)).isEqualTo(2048);
    assertThat(Slots.of(131_199)).isEqualTo(2048);
    assertThat(Slots.of(131_200)).isEqualTo(2049);
    assertThat(Slots.lowest(2049)).isEqualTo(131_200);
  }

  @Test
  void anIntervalIsWhatTheLibraryItselfWouldHaveRecorded() {
    Latencies latencies = new Latencies();
    Histogram direct = Slots.histogram();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong(1L << random.nextInt(1, 36));
      latencies.record(nanos);
      direct.recordValue(nanos);
    }
    assertThat(take(latencies)).isEqualTo(direct);
    assertThat(latencies.takeInto(new SlotCounts())).isFalse();
  }

  @Test
  void longerThanTheRangeIsCountedAtItsEndAndTheMaximumIsExact() {
    Latencies latencies = new Latencies();
    latencies.record(60_000_000_001L);
    latencies.record(-5);
    Histogram interval = take(latencies);
    assertThat(interval.getTotalCount()).isEqualTo(2);
    assertThat(interval.getMaxValue()).isEqualTo(interval.highestEquivalentValue(60_000_000_000L));
    assertThat(latencies.overflow()).isEqualTo(1);
    assertThat(latencies.takeMax()).isEqualTo(60_000_000_001L);
  }

  @Test
  void whatIsRecordedAroundTheReleaseIsHeard() {
    Latencies latencies = new Latencies();
    latencies.record(100);
    latencies.release();
    latencies.record(200);
    assertThat(takeCount(latencies)).isEqualTo(2);
    for (int i = 0; i < 5; i++) {
      latencies.release();
      latencies.record(300);
      assertThat(takeCount(latencies)).isEqualTo(1);
      assertThat(takeCount(latencies)).isZero();
    }
  }

  /** Mutation: reading and clearing a slot in two steps loses some of the million. */
  @Test
  void nothingIsLostBetweenIntervals() throws InterruptedException {
    Latencies latencies = new Latencies();
    List<Thread> workers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      Thread worker =
          new Thread(
              () -> {
                for (int i = 0; i < 250_000; i++) {
                  latencies.record(i & 255);
                }
              });
      workers.add(worker);
      worker.start();
    }
    long total = 0;
    while (workers.stream().anyMatch(Thread::isAlive)) {
      total += takeCount(latencies);
    }
    for (Thread worker : workers) {
      worker.join();
    }
    assertThat(total + takeCount(latencies)).isEqualTo(1_000_000);
  }

  private static Histogram take(Latencies latencies) {
    SlotCounts interval = new SlotCounts();
    latencies.takeInto(interval);
    HistogramSum sum = new HistogramSum();
    sum.add(interval);
    return sum.toHistogram();
  }

  private static long takeCount(Latencies latencies) {
    SlotCounts interval = new SlotCounts();
    latencies.takeInto(interval);
    return interval.total();
  }
}
