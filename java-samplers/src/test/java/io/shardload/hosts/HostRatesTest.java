package io.shardload.hosts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.shardload.bundle.hosts.Figure;
import io.shardload.hosts.HostRates.Gap;
import io.shardload.hosts.HostSample.Disk;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Samples of a machine as rates on a grid; every expected value is computed by hand. */
class HostRatesTest {
  private static final double NONE = Double.NaN;
  private static final double ROUNDING = 1e-9;

  @Test
  void everyFigureHasItsRate() {
    HostRates rates = new HostRates(1, 2);
    rates.add(sample(0, 10, 1, Map.of("sda", new Disk(100, 1000, 5, 200, 2000, 6, 7)), 50, 60));
    // In 2 s: 2 of 8 processor seconds, 0.8 of 8 waiting; 10 reads of 0.02 s, 20 writes of 0.01 s.
    rates.add(
        sample(2, 12, 1.8, Map.of("sda", new Disk(110, 5096, 5.2, 220, 10192, 6.2, 8)), 1050, 260));
    assertEquals(EnumSet.allOf(Figure.class), rates.values().keySet());
    check(rates, Figure.CPU, 0.25, 0.25);
    check(rates, Figure.IO_WAIT, 0.1, 0.1);
    check(rates, Figure.READS, 5, 5);
    check(rates, Figure.WRITES, 10, 10);
    check(rates, Figure.READ_BYTES, 2048, 2048);
    check(rates, Figure.WRITTEN_BYTES, 4096, 4096);
    check(rates, Figure.READ_LATENCY, 0.02, 0.02);
    check(rates, Figure.WRITE_LATENCY, 0.01, 0.01);
    check(rates, Figure.DISK_BUSY, 0.5, 0.5);
    check(rates, Figure.RECEIVED_BYTES, 500, 500);
    check(rates, Figure.SENT_BYTES, 100, 100);
    assertEquals(List.of(), rates.gaps());
  }

  @Test
  void anIntervalGetsTheMeanOverItsPartsWeightedByTime() {
    HostRates rates = new HostRates(1, 3);
    network(rates, -0.5, 0);
    network(rates, 0.25, 75); // 100/s: a quarter second of interval 0
    network(rates, 1.5, 325); // 200/s: the rest of interval 0, half of interval 1
    network(rates, 2.5, 725); // 400/s: half of interval 1, half of interval 2; then nothing
    check(rates, Figure.RECEIVED_BYTES, 0.25 * 100 + 0.75 * 200, 300, 400);
  }

  @Test
  void aStepOfFiveSecondsGetsTheMeanOverItsSamples() {
    HostRates rates = new HostRates(5, 2);
    network(rates, 0, 0);
    network(rates, 2, 200); // 100/s for 2 s
    network(rates, 4, 1000); // 400/s for 2 s
    network(rates, 6, 1000); // 0/s for 1 s of each step
    check(rates, Figure.RECEIVED_BYTES, (200 + 800) / 5.0, 0);
  }

  @Test
  void aGapIsNotKnown() {
    HostRates rates = new HostRates(1, 8);
    network(rates, 0, 0);
    network(rates, 1, 10);
    network(rates, 2, 20);
    network(rates, 5.5, 100); // 3.5 s: more than 3 s and 3 times the usual second
    network(rates, 6.5, 130);
    check(rates, Figure.RECEIVED_BYTES, 10, 10, NONE, NONE, NONE, 30, 30, NONE);
    assertEquals(List.of(new Gap(2, 5.5)), rates.gaps());
  }

  @Test
  void threeTimesTheUsualDistanceIsNoGap() {
    HostRates rates = new HostRates(5, 6);
    network(rates, 0, 0);
    network(rates, 5, 50);
    network(rates, 10, 100);
    network(rates, 25, 100);
    check(rates, Figure.RECEIVED_BYTES, 10, 10, 0, 0, 0, NONE);
    assertEquals(List.of(), rates.gaps());
  }

  @Test
  void aLateStartAndAnEarlyEndAreGaps() {
    HostRates rates = new HostRates(1, 12);
    network(rates, 3.5, 0);
    network(rates, 4.5, 1);
    network(rates, 5.5, 2);
    assertEquals(List.of(new Gap(0, 3.5), new Gap(5.5, 12)), rates.gaps());
    assertEquals(List.of(new Gap(0, 4)), new HostRates(1, 4).gaps());
  }

  @Test
  void aGapThatReachesBeyondTheGridEndsThere() {
    HostRates rates = new HostRates(1, 2);
    network(rates, -9, 0);
    network(rates, -8, 0);
    network(rates, 1, 5); // 9 s
    network(rates, 2, 8);
    check(rates, Figure.RECEIVED_BYTES, NONE, 3);
    assertEquals(List.of(new Gap(0, 1)), rates.gaps());
    assertEquals(List.of(), new HostRates(1, 2).gaps(), "2 s without a sample are no gap");
  }

  @Test
  void aCounterThatRestartsCoversNothing() {
    HostRates rates = new HostRates(1, 3);
    rates.add(sample(0, 100, 0, Map.of("sda", reads(50)), 1000, 0));
    rates.add(sample(1, 1, 0, Map.of("sda", reads(2)), 10, 0));
    rates.add(sample(2, 2, 0, Map.of("sda", reads(5)), 30, 0));
    check(rates, Figure.CPU, NONE, 0.25, NONE);
    check(rates, Figure.RECEIVED_BYTES, NONE, 20, NONE);
    check(rates, Figure.READS, NONE, 3, NONE);
    check(rates, Figure.SENT_BYTES, 0, 0, NONE);
  }

  @Test
  void aDiskThatRestartsOrAppearsIsLeftOutBetweenThese() {
    HostRates rates = new HostRates(1, 3);
    rates.add(disks(0, Map.of("sda", reads(10))));
    rates.add(disks(1, Map.of("sda", reads(14), "sdb", reads(1_000_000))));
    rates.add(disks(2, Map.of("sda", reads(20), "sdb", reads(1_000_007))));
    rates.add(disks(3, Map.of("sda", reads(25), "sdb", reads(3))));
    check(rates, Figure.READS, 4, 6 + 7, 5);
  }

  @Test
  void anUnknownCounterIsAnUnknownFigure() {
    HostRates rates = new HostRates(1, 1);
    rates.add(disks(0, Map.of("sda", reads(1), "sdb", bytes(100))));
    rates.add(disks(1, Map.of("sda", reads(2), "sdb", bytes(300))));
    assertEquals(Set.of(), rates.values().keySet(), "half of the disks is not the machine");

    HostRates one = new HostRates(1, 1);
    one.add(disks(0, Map.of("sda", bytes(100))));
    one.add(disks(1, Map.of("sda", bytes(300))));
    assertEquals(Set.of(Figure.READ_BYTES), one.values().keySet());
    check(one, Figure.READ_BYTES, 200);
  }

  @Test
  void withoutCoresThereIsNoRatio() {
    HostRates rates = new HostRates(1, 1);
    rates.add(new HostSample(0, 0, 1, 1, Map.of(), 0, 0));
    rates.add(new HostSample(1, 0, 2, 2, Map.of(), 5, 0));
    assertEquals(Set.of(Figure.RECEIVED_BYTES, Figure.SENT_BYTES), rates.values().keySet());
  }

  @Test
  void latencyIsOverTheOperationsOfTheInterval() {
    HostRates rates = new HostRates(2, 2);
    rates.add(disks(0, Map.of("sda", latency(0, 0), "sdb", latency(0, 0))));
    rates.add(disks(1, Map.of("sda", latency(1, 0.1), "sdb", latency(0, 0))));
    rates.add(disks(2, Map.of("sda", latency(4, 0.2), "sdb", latency(6, 0.3))));
    rates.add(disks(4, Map.of("sda", latency(4, 0.2), "sdb", latency(6, 0.3))));
    check(rates, Figure.READ_LATENCY, 0.5 / 10, NONE);
    check(rates, Figure.READS, 5, 0);
  }

  @Test
  void theBusiestDiskIsThatOfTheInterval() {
    HostRates rates = new HostRates(2, 2);
    rates.add(disks(0, Map.of("sda", busy(0), "sdb", busy(0))));
    rates.add(disks(1, Map.of("sda", busy(0.8), "sdb", busy(0.2))));
    rates.add(disks(2, Map.of("sda", busy(0.8), "sdb", busy(0.9))));
    rates.add(disks(4, Map.of("sda", busy(2.81), "sdb", busy(1.2))));
    check(rates, Figure.DISK_BUSY, 0.45, 1);
  }

  @Test
  void oneSampleIsNoRate() {
    HostRates rates = new HostRates(1, 2);
    network(rates, 0, 7);
    assertEquals(Map.of(), rates.values());
    network(rates, 0, 9);
    assertEquals(Map.of(), rates.values(), "the same time");
  }

  @Test
  void samplesComeInOrder() {
    HostRates rates = new HostRates(1, 2);
    network(rates, 1, 7);
    assertThrows(IllegalArgumentException.class, () -> network(rates, 0.5, 8));
    assertThrows(IllegalArgumentException.class, () -> network(rates, NONE, 8));
    assertThrows(IllegalArgumentException.class, () -> new HostRates(0, 2));
  }

  private static void check(HostRates rates, Figure figure, double... expected) {
    assertArrayEquals(expected, rates.values().get(figure), ROUNDING, figure.key());
  }

  private static HostSample sample(
      double seconds,
      double cpu,
      double wait,
      Map<String, Disk> disks,
      double received,
      double sent) {
    return new HostSample(seconds, 4, cpu, wait, disks, received, sent);
  }

  private static HostSample disks(double seconds, Map<String, Disk> disks) {
    return new HostSample(seconds, 4, NONE, NONE, disks, NONE, NONE);
  }

  private static void network(HostRates rates, double seconds, double received) {
    rates.add(new HostSample(seconds, 4, NONE, NONE, Map.of(), received, NONE));
  }

  private static Disk reads(double reads) {
    return new Disk(reads, NONE, NONE, NONE, NONE, NONE, NONE);
  }

  private static Disk bytes(double bytes) {
    return new Disk(NONE, bytes, NONE, NONE, NONE, NONE, NONE);
  }

  private static Disk latency(double reads, double seconds) {
    return new Disk(reads, NONE, seconds, NONE, NONE, NONE, NONE);
  }

  private static Disk busy(double seconds) {
    return new Disk(NONE, NONE, NONE, NONE, NONE, NONE, seconds);
  }
}
