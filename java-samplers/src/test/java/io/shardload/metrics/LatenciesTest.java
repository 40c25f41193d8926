package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.histogram.Slots;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LatenciesTest {
  private static final long MB = 1 << 20;

  private long left = 1000 * MB;
  private long written;
  private final DiskSpace space = new DiskSpace(() -> left, () -> written);

  private final ErrorSamples samples = new ErrorSamples();

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

  /** Mutations: no floor; a floor of 32 MB. */
  @Test
  void aRunThatWritesLittleNeedsTheFloor() {
    left = 64 * MB;
    assertThat(space.shortage()).isEmpty();
    left--;
    assertThat(space.shortage()).hasValueSatisfying(words -> assertThat(words).contains("64 MB"));
  }

  /** 5 MB a second need 150 MB. Mutations: only the floor; the last second's bytes alone. */
  @Test
  void aRunNeedsWhatItWritesInHalfAMinute() {
    for (int second = 0; second < 100; second++) {
      assertThat(space.shortage()).isEmpty();
      written += 5 * MB;
    }
    left = 150 * MB;
    assertThat(space.shortage()).isEmpty();
    written += 5 * MB;
    left--;
    assertThat(space.shortage())
        .contains("the disk is nearly full: 149 MB are left, and the run needs 150 MB");
  }

  /** Mutation: the mean since the start. */
  @Test
  void whatWasWrittenLongAgoDoesNotCount() {
    for (int second = 0; second < 50; second++) {
      written += 100 * MB;
      var unused = space.shortage();
    }
    for (int second = 0; second < 31; second++) {
      var unused = space.shortage();
    }
    left = 64 * MB;
    assertThat(space.shortage()).isEmpty();
  }

  @Test
  void looksAtTheFolderOfTheRun(@TempDir Path directory) throws Exception {
    Files.writeString(Files.createDirectory(directory.resolve("latencies")).resolve("a"), "abc");
    assertThat(DiskSpace.of(directory).shortage()).isEmpty();
  }

  private void add(Outcome outcome, String message) {
    samples.add(outcome, new CallFailure("of the call", false, true, message));
  }

  // One sample of each kind. Mutations that turned it red: the last message kept instead of the
  // first; no bound of the kinds; the text as it is.

  @Test
  void theFirstMessageOfEachKindIsKeptUnderTheKindOfTheOutcome() {
    add(new Outcome.Failed("node-lost"), "ERROR: connection to the remote node failed");
    add(new Outcome.Unknown("timeout"), "first");
    add(new Outcome.Failed("timeout"), "second");
    add(Outcome.done(1), "was done by the retry");
    samples.add(new Outcome.Failed("wrong-row"), null);

    assertThat(samples.toJson().toString())
        .isEqualTo(
            "{\"node-lost\":\"ERROR: connection to the remote node"
                + " failed\",\"timeout\":\"first\"}");
  }

  @Test
  void aMessageIsOneShortLineWithoutPasswords() {
    add(new Outcome.Failed("lines"), " a\n  b\u001b[31m\tc ");
    add(new Outcome.Failed("url"), "cannot reach mongodb://app:s3cret@h1:27017/db");
    add(new Outcome.Failed("dsn"), "failed to connect: host=h password=s3cret user=u");
    add(new Outcome.Failed("long"), "x".repeat(301));
    add(new Outcome.Failed("fits"), "y".repeat(300));

    assertThat(samples.toJson().get("lines").getAsString()).isEqualTo("a b [31m c");
    assertThat(samples.toJson().get("url").getAsString())
        .isEqualTo("cannot reach mongodb://app:***@h1:27017/db");
    assertThat(samples.toJson().get("dsn").getAsString())
        .isEqualTo("failed to connect: host=h password=*** user=u");
    assertThat(samples.toJson().get("long").getAsString()).isEqualTo("x".repeat(297) + "...");
    assertThat(samples.toJson().get("fits").getAsString()).isEqualTo("y".repeat(300));
  }

  @Test
  void kindsAreBounded() {
    for (int i = 0; i < 60; i++) {
      add(new Outcome.Failed("sqlstate-" + (10_000 + i)), "m" + i);
    }

    assertThat(samples.toJson().size()).isEqualTo(50);
    assertThat(samples.toJson().get("sqlstate-10049").getAsString()).isEqualTo("m49");
    assertThat(samples.toJson().has("sqlstate-10050")).isFalse();
  }
}
