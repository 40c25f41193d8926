package io.shardload.hosts;

import io.shardload.bundle.hosts.Figure;
import io.shardload.hosts.HostSample.Disk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Turns samples of one machine, taken at any times, into rates on the grid of a file.
 *
 * <p>Between two consecutive samples a rate is constant. An interval of the grid gets the mean over
 * the parts of it that are covered, NaN if none is. Two samples that are further apart than three
 * times the usual (median) distance, and than {@value #SHORTEST_GAP_SECONDS} s, are a gap and cover
 * nothing.
 *
 * <p>A counter that decreases has restarted: it covers nothing between these two samples. A disk
 * that is in only one of two samples is left out between them, as is one whose counter restarted;
 * one whose counter is unknown makes the sum over the disks unknown.
 *
 * <p>Not safe for use by several threads.
 */
public final class HostRates {
  private static final double SHORTEST_GAP_SECONDS = 3;
  private static final int USUAL_DISTANCES = 3;

  private final double stepSeconds;
  private final int intervals;
  private final List<HostSample> samples = new ArrayList<>();

  /** A time without samples, in seconds since the start of the run. */
  public record Gap(double from, double to) {}

  /** A grid that begins at the start of the run. */
  public HostRates(double stepSeconds, int intervals) {
    if (!(stepSeconds > 0) || intervals < 0) {
      throw new IllegalArgumentException(intervals + " intervals of " + stepSeconds + " s");
    }
    this.stepSeconds = stepSeconds;
    this.intervals = intervals;
  }

  /**
   * Adds the next sample. One of the same time as the last is ignored.
   *
   * @throws IllegalArgumentException if it is older than the last
   */
  public void add(HostSample sample) {
    HostSample last = samples.isEmpty() ? null : samples.get(samples.size() - 1);
    if (last != null && !(sample.seconds() >= last.seconds())) {
      throw new IllegalArgumentException(
          "a sample of " + sample.seconds() + " s came after one of " + last.seconds() + " s");
    }
    if (last == null || sample.seconds() > last.seconds()) {
      samples.add(sample);
    }
  }

  /** One value per interval for each figure, NaN where nothing is known; none that is all NaN. */
  public Map<Figure, double[]> values() {
    Tracks tracks = new Tracks();
    double longest = longestDistance();
    for (int i = 1; i < samples.size(); i++) {
      HostSample from = samples.get(i - 1);
      HostSample to = samples.get(i);
      if (to.seconds() - from.seconds() <= longest) {
        tracks.add(from, to);
      }
    }
    Map<Figure, double[]> values = tracks.values();
    values.values().removeIf(all -> Arrays.stream(all).allMatch(Double::isNaN));
    return values;
  }

  /**
   * The gaps within the grid in order of time, those before the first and after the last sample.
   */
  public List<Gap> gaps() {
    double end = stepSeconds * intervals;
    double longest = longestDistance();
    List<Gap> gaps = new ArrayList<>();
    double last = 0;
    for (double next : DoubleStream.concat(times(), DoubleStream.of(end)).toArray()) {
      double to = Math.min(next, end);
      // The part that lies in the grid may be short; the distance of the samples is what counts.
      if (next - last > longest && to > Math.max(0, last)) {
        gaps.add(new Gap(Math.max(0, last), to));
      }
      last = next;
    }
    return gaps;
  }

  private DoubleStream times() {
    return samples.stream().mapToDouble(HostSample::seconds);
  }

  /** The longest distance of two samples that does not count as a gap. */
  private double longestDistance() {
    return Math.max(USUAL_DISTANCES * usualDistance(samples), SHORTEST_GAP_SECONDS);
  }

  /** The median distance of two consecutive samples in seconds; 0 if there are none. */
  static double usualDistance(List<HostSample> samples) {
    double[] distances = new double[Math.max(0, samples.size() - 1)];
    Arrays.setAll(distances, i -> samples.get(i + 1).seconds() - samples.get(i).seconds());
    Arrays.sort(distances);
    return distances.length == 0 ? 0 : distances[distances.length / 2];
  }

  /** How much a counter grew; NaN where it restarted or is unknown. */
  private static double growth(double from, double to) {
    return to >= from ? to - from : Double.NaN;
  }

  /** The counters of the machine on the grid. */
  private final class Tracks {
    private final Map<Figure, Track> sums = new EnumMap<>(Figure.class);
    private final Map<Figure, Track> latencySeconds = new EnumMap<>(Figure.class);
    private final Map<Figure, Track> latencyOperations = new EnumMap<>(Figure.class);
    private final Map<String, Track> busy = new HashMap<>();

    void add(HostSample from, HostSample to) {
      double begin = from.seconds();
      double end = to.seconds();
      double cpu = growth(from.cpuBusySeconds(), to.cpuBusySeconds());
      double wait = growth(from.ioWaitSeconds(), to.ioWaitSeconds());
      double cores = to.cores() > 0 ? to.cores() : Double.NaN;
      track(sums, Figure.CPU).add(begin, end, cpu / cores);
      track(sums, Figure.IO_WAIT).add(begin, end, wait / cores);
      track(sums, Figure.RECEIVED_BYTES)
          .add(begin, end, growth(from.receivedBytes(), to.receivedBytes()));
      track(sums, Figure.SENT_BYTES).add(begin, end, growth(from.sentBytes(), to.sentBytes()));
      List<Pair> pairs = new ArrayList<>();
      to.disks()
          .forEach(
              (name, disk) -> {
                if (from.disks().containsKey(name)) {
                  pairs.add(new Pair(name, from.disks().get(name), disk));
                }
              });
      addDisks(begin, end, pairs.stream().filter(pair -> !pair.restarted()).toList());
    }

    private void addDisks(double begin, double end, List<Pair> disks) {
      double reads = sum(disks, Disk::reads);
      double writes = sum(disks, Disk::writes);
      track(sums, Figure.READS).add(begin, end, reads);
      track(sums, Figure.WRITES).add(begin, end, writes);
      track(sums, Figure.READ_BYTES).add(begin, end, sum(disks, Disk::readBytes));
      track(sums, Figure.WRITTEN_BYTES).add(begin, end, sum(disks, Disk::writtenBytes));
      addLatency(Figure.READ_LATENCY, begin, end, sum(disks, Disk::readSeconds), reads);
      addLatency(Figure.WRITE_LATENCY, begin, end, sum(disks, Disk::writeSeconds), writes);
      for (Pair disk : disks) {
        busy.computeIfAbsent(disk.name(), name -> new Track(stepSeconds, intervals))
            .add(begin, end, disk.growthOf(Disk::busySeconds));
      }
    }

    private void addLatency(
        Figure figure, double begin, double end, double seconds, double operations) {
      if (!Double.isNaN(seconds) && !Double.isNaN(operations)) {
        track(latencySeconds, figure).add(begin, end, seconds);
        track(latencyOperations, figure).add(begin, end, operations);
      }
    }

    private Track track(Map<Figure, Track> tracks, Figure figure) {
      return tracks.computeIfAbsent(figure, key -> new Track(stepSeconds, intervals));
    }

    Map<Figure, double[]> values() {
      Map<Figure, double[]> values = new EnumMap<>(Figure.class);
      sums.forEach((figure, track) -> values.put(figure, track.rates()));
      latencySeconds.forEach(
          (figure, track) -> values.put(figure, track.per(latencyOperations.get(figure))));
      double[] busiest = new double[intervals];
      Arrays.fill(busiest, Double.NaN);
      for (Track disk : busy.values()) {
        double[] rates = disk.rates();
        Arrays.setAll(busiest, i -> larger(busiest[i], rates[i]));
      }
      values.put(Figure.DISK_BUSY, busiest);
      // The kernel counts in steps of up to 10 ms, so a whole second may seem to be a little more.
      for (Figure ratio : List.of(Figure.CPU, Figure.IO_WAIT, Figure.DISK_BUSY)) {
        values.computeIfPresent(
            ratio, (key, all) -> Arrays.stream(all).map(value -> Math.min(1, value)).toArray());
      }
      return values;
    }
  }

  private static double larger(double left, double right) {
    return Double.isNaN(left) ? right : Double.isNaN(right) ? left : Math.max(left, right);
  }

  /** The sum over the disks; NaN if there is none or one of them is unknown. */
  private static double sum(List<Pair> disks, ToDoubleFunction<Disk> counter) {
    return disks.stream()
        .mapToDouble(disk -> disk.growthOf(counter))
        .reduce(Double::sum)
        .orElse(Double.NaN);
  }

  /** A disk in two consecutive samples. */
  private record Pair(String name, Disk from, Disk to) {
    private static final List<ToDoubleFunction<Disk>> COUNTERS =
        List.of(
            Disk::reads,
            Disk::readBytes,
            Disk::readSeconds,
            Disk::writes,
            Disk::writtenBytes,
            Disk::writeSeconds,
            Disk::busySeconds);

    double growthOf(ToDoubleFunction<Disk> counter) {
      return growth(counter.applyAsDouble(from), counter.applyAsDouble(to));
    }

    boolean restarted() {
      return COUNTERS.stream()
          .anyMatch(counter -> counter.applyAsDouble(to) < counter.applyAsDouble(from));
    }
  }

  /** How much a counter grew in each interval of a grid, and for how much of it this is known. */
  private static final class Track {
    private final double stepSeconds;
    private final double[] amounts;
    private final double[] coveredSeconds;

    Track(double stepSeconds, int intervals) {
      this.stepSeconds = stepSeconds;
      amounts = new double[intervals];
      coveredSeconds = new double[intervals];
    }

    /**
     * Spreads an amount evenly over a time; what lies outside the grid is dropped. NaN: nothing.
     */
    void add(double from, double to, double amount) {
      if (Double.isNaN(amount)) {
        return;
      }
      double perSecond = amount / (to - from);
      int first = (int) Math.max(0, Math.floor(from / stepSeconds));
      for (int i = first; i < amounts.length && i * stepSeconds < to; i++) {
        double covered = Math.min(to, (i + 1) * stepSeconds) - Math.max(from, i * stepSeconds);
        if (covered > 0) {
          amounts[i] += perSecond * covered;
          coveredSeconds[i] += covered;
        }
      }
    }

    /** The amount per second by interval; NaN where nothing is known. */
    double[] rates() {
      return over(coveredSeconds);
    }

    /** The amount per unit of another track by interval; NaN where that has none. */
    double[] per(Track other) {
      return over(other.amounts);
    }

    private double[] over(double[] divisors) {
      double[] result = new double[amounts.length];
      Arrays.setAll(result, i -> divisors[i] > 0 ? amounts[i] / divisors[i] : Double.NaN);
      return result;
    }
  }
}
