package io.shardload.generator.schedule;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * When transactions are due: a pure function of segments, seed and the division over generators.
 * Each call of {@link #arrivals()} yields the same stream again. Arrival i belongs to generator i
 * mod n, so the union over the generators is the same stream for any number of them.
 */
public final class Schedule {
  private final LoadConfig load;
  private final RateCurve curve;
  private final PoissonBlocks blocks;

  public Schedule(LoadConfig load, long seed) {
    this.load = load;
    this.curve = new RateCurve(load.segments());
    this.blocks = new PoissonBlocks(seed);
  }

  public List<Segment> segments() {
    return load.segments();
  }

  public LoadConfig load() {
    return load;
  }

  RateCurve curve() {
    return curve;
  }

  public long endNanos() {
    return segments().get(segments().size() - 1).endNanos();
  }

  /**
   * When the first segment begins whose figures are a result: a step, a stage or the hold; in a
   * schedule without these the ramp.
   */
  public long resultsStartNanos() {
    return startOf(Segment.Kind.STEP, Segment.Kind.STAGE, Segment.Kind.HOLD)
        .orElseGet(() -> startOf(Segment.Kind.RAMP).orElseGet(this::endNanos));
  }

  private Optional<Long> startOf(Segment.Kind... kinds) {
    return segments().stream()
        .filter(segment -> List.of(kinds).contains(segment.kind()))
        .map(Segment::startNanos)
        .findFirst();
  }

  /** The segment in which a time lies; the last one for times beyond the end. */
  public int segmentAt(long nanos) {
    int i = 0;
    while (i < segments().size() - 1 && nanos >= segments().get(i).endNanos()) {
      i++;
    }
    return i;
  }

  public Arrivals arrivals() {
    if (!load.open()) {
      return new WhenFree();
    }
    return load.poisson()
        ? new PoissonArrivals(
            blocks, curve.total(), load.generator(), load.generators(), this::arrival)
        : new Constant();
  }

  /** The arrivals of all generators, from the first one on; in the open model. */
  Positions positions() {
    return load.poisson() ? Positions.poisson(blocks) : Positions.constant();
  }

  /** Closed model: whenever a worker is free. */
  private final class WhenFree implements Arrivals {
    private final AtomicLong next = new AtomicLong();

    @Override
    public Arrival next() {
      long index = next.getAndIncrement() * load.generators() + load.generator();
      return whenFree(index);
    }
  }

  /** Evenly spaced at the rate of the moment. */
  private final class Constant implements Arrivals {
    private final AtomicLong next = new AtomicLong();

    @Override
    public Arrival next() {
      long index = next.getAndIncrement() * load.generators() + load.generator();
      return index < curve.total() ? arrival(index, (double) index) : null;
    }
  }

  /** The arrivals of all generators by their indexes, which may only grow from call to call. */
  LongFunction<Arrival> byIndex() {
    if (!load.open()) {
      return Schedule::whenFree;
    }
    Positions positions = positions();
    return index -> arrival(index, positions.of(index));
  }

  private static Arrival whenFree(long index) {
    return new Arrival(index, Arrival.WHEN_FREE, -1);
  }

  private Arrival arrival(long index, double position) {
    int segment = curve.segmentOf(position);
    return new Arrival(index, curve.timeOf(position, segment), segment);
  }
}
