package io.shardload.generator.schedule;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * When transactions are due: a pure function of segments, seed, the division over generators, and
 * by how much the warm-up was prolonged. Each call of {@link #arrivals()} yields the same stream
 * again. Arrival i belongs to generator i mod n, so the union over the generators is the same
 * stream for any number of them.
 *
 * <p>A warm-up may be {@link #prolong prolonged} until something was seen of the time after it
 * ({@link #settle}). Everything after it then comes later, and more arrivals are due in it; which
 * transaction an arrival draws does not change. Thread-safe.
 */
public final class Schedule {
  private final LoadConfig load;
  private final long seed;
  private final PoissonBlocks blocks;

  /** The expected arrivals of the longest warm-up that may come about. */
  private final double mostArrivals;

  private volatile Course course;
  private volatile boolean settled;

  /** A schedule whose warm-up is as long as configured. */
  public Schedule(LoadConfig load, long seed) {
    this(load, seed, 0, 0);
  }

  private Schedule(LoadConfig load, long seed, long prolongedNanos, long mostNanos) {
    this.load = load;
    this.seed = seed;
    this.blocks = new PoissonBlocks(seed);
    this.course = Course.of(load.segments(), prolongedNanos);
    this.mostArrivals = Course.of(load.segments(), prolongedNanos + mostNanos).curve().total();
    this.settled = mostNanos == 0;
  }

  /** The same schedule after a warm-up that was prolonged by so much. */
  public Schedule prolonged(long nanos) {
    return new Schedule(load, seed, nanos, 0);
  }

  /** The same schedule, whose warm-up may be prolonged by so much. */
  public Schedule prolongable(long mostNanos) {
    return new Schedule(load, seed, 0, mostNanos);
  }

  /** By how much the warm-up is prolonged. */
  public long prolongedNanos() {
    return course.prolongedNanos();
  }

  /** When the warm-up ends; 0 without one. */
  public long warmUpEndNanos() {
    return course.warmUpEndNanos();
  }

  /**
   * Prolongs the warm-up.
   *
   * @return false if it is too late for that
   */
  public synchronized boolean prolong(long byNanos) {
    if (!settled) {
      course = Course.of(load.segments(), course.prolongedNanos() + byNanos);
    }
    return !settled;
  }

  /**
   * To be called before anything is concluded from a time after the warm-up: it is not prolonged
   * any more once it is over.
   */
  public void settle(long nanos) {
    if (!settled) {
      settleSlowly(nanos);
    }
  }

  private synchronized void settleSlowly(long nanos) {
    settled = settled || nanos >= course.warmUpEndNanos();
  }

  /** Whether no due time changes any more. */
  public boolean isSettled() {
    return settled;
  }

  public List<Segment> segments() {
    return course.segments();
  }

  public LoadConfig load() {
    return load;
  }

  RateCurve curve() {
    return course.curve();
  }

  public long endNanos() {
    return course.endNanos();
  }

  /**
   * When the first segment begins whose figures are a result: a step, a stage or the hold; in a
   * schedule without these the ramp.
   */
  public long resultsStartNanos() {
    return course.resultsStartNanos();
  }

  /** The segment in which a time lies; the last one for times beyond the end. */
  public int segmentAt(long nanos) {
    List<Segment> segments = segments();
    int i = 0;
    while (i < segments.size() - 1 && nanos >= segments.get(i).endNanos()) {
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
            blocks, mostArrivals, load.generator(), load.generators(), this::arrival)
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
      return index < mostArrivals ? arrival(index, (double) index) : null;
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
    return new Arrival(index, Arrival.WHEN_FREE, -1, index);
  }

  private Arrival arrival(long index, double position) {
    RateCurve curve = curve();
    int segment = curve.segmentOf(position);
    long due = position < curve.total() ? curve.timeOf(position, segment) : Arrival.NEVER;
    return new Arrival(index, due, segment, position);
  }

  /**
   * The arrival as it is due now, if the warm-up was prolonged after it was made; else the same.
   */
  public Arrival current(Arrival arrival) {
    // Those within the warm-up keep their time.
    if (arrival == null || arrival.segment() <= 0) {
      return arrival;
    }
    Arrival now = arrival(arrival.index(), arrival.position());
    return now.equals(arrival) ? arrival : now;
  }

  /**
   * What follows from the segments.
   *
   * @param prolongedNanos contained in the segments
   */
  private record Course(
      List<Segment> segments,
      RateCurve curve,
      long prolongedNanos,
      long warmUpEndNanos,
      long resultsStartNanos,
      long endNanos) {

    static Course of(List<Segment> asked, long prolongedNanos) {
      List<Segment> segments =
          asked.stream().map(segment -> segment.warmUpProlonged(prolongedNanos)).toList();
      Segment first = segments.get(0);
      long end = segments.get(segments.size() - 1).endNanos();
      return new Course(
          segments,
          new RateCurve(segments),
          prolongedNanos,
          first.kind() == Segment.Kind.WARM_UP ? first.endNanos() : 0,
          startOf(segments, Segment.Kind.STEP, Segment.Kind.STAGE, Segment.Kind.HOLD)
              .orElseGet(() -> startOf(segments, Segment.Kind.RAMP).orElse(end)),
          end);
    }

    private static Optional<Long> startOf(List<Segment> segments, Segment.Kind... kinds) {
      return segments.stream()
          .filter(segment -> List.of(kinds).contains(segment.kind()))
          .map(Segment::startNanos)
          .findFirst();
    }
  }
}
