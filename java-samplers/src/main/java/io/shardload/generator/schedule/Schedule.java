package io.shardload.generator.schedule;

import io.shardload.data.Bits;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When transactions are due: a pure function of segments, seed and the division over generators.
 * Each call of {@link #arrivals()} yields the same stream again. Arrival i belongs to generator i
 * mod n, so the union over the generators is the same stream for any number of them.
 */
public final class Schedule {
  private final LoadConfig load;
  private final long seed;
  private final RateCurve curve;

  public Schedule(LoadConfig load, long seed) {
    this.load = load;
    this.seed = seed;
    this.curve = new RateCurve(load.segments());
  }

  public List<Segment> segments() {
    return load.segments();
  }

  public long endNanos() {
    return segments().get(segments().size() - 1).endNanos();
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
    return load.poisson() ? new Poisson() : new Constant();
  }

  /** Closed model: whenever a worker is free. */
  private final class WhenFree implements Arrivals {
    private final AtomicLong next = new AtomicLong();

    @Override
    public Arrival next() {
      long index = next.getAndIncrement() * load.generators() + load.generator();
      return new Arrival(index, Arrival.WHEN_FREE, -1);
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

  /** A Poisson process: gaps are exponential, seeded. */
  private final class Poisson implements Arrivals {
    private long index = -1;
    private double sum;

    @Override
    public synchronized Arrival next() {
      do {
        index++;
        sum += exponential(index);
      } while (sum < curve.total() && index % load.generators() != load.generator());
      return sum < curve.total() ? arrival(index, sum) : null;
    }

    private double exponential(long i) {
      double uniform = ((Bits.hash(seed, ~0L, i) >>> 11) + 1) * 0x1.0p-53;
      return -Math.log(uniform);
    }
  }

  private Arrival arrival(long index, double position) {
    return new Arrival(index, curve.timeOf(position), curve.segmentOf(position));
  }
}
