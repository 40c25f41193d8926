package io.shardload.generator.schedule;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Bits;
import io.shardload.data.Draws;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/**
 * What a seed decides before anything runs: when transactions are due and which one each arrival
 * draws. The draws of an arrival are a stream of their own; the first one chooses the transaction,
 * the following ones its keys and arguments.
 */
public final class Plan {
  private static final double MOST_HASHED = 1 << 22;
  private static final double CLOSED_ARRIVALS_PER_SECOND = 200_000;
  private static final int FIRST_ARRIVALS = 10_000;
  private static final long THINK = 0x5468696e6bL;
  private static final long FIRST_THINK = 0x4669727374L;

  private final Schedule schedule;
  private final Mix mix;
  private final long seed;
  private final long hashedMask;

  public Plan(Schedule schedule, Mix mix, long seed) {
    this.schedule = schedule;
    this.mix = mix;
    this.seed = seed;
    this.hashedMask = hashedMask(schedule.prolonged(0));
  }

  /**
   * Reads it from the configuration of a whole run.
   *
   * @throws ConfigException the configuration allows no plan
   */
  public static Plan read(JsonObject run) {
    Options root = new Options("", run);
    Options mix = root.section("mix");
    long seed = root.section("workload").integer("seed", 1, Long.MIN_VALUE, Long.MAX_VALUE);
    Options section = root.section("load");
    Schedule schedule =
        new Schedule(LoadConfig.read(section), seed).prolonged(LoadConfig.prolongedNanos(section));
    return new Plan(schedule, Mix.read(mix, List.copyOf(mix.keys())), seed);
  }

  public Schedule schedule() {
    return schedule;
  }

  public Mix mix() {
    return mix;
  }

  /** Which transaction an arrival draws; leaves the draws where preparation goes on. */
  public int transaction(Arrival arrival, Draws draws) {
    return mix.draw(draws.at(seed, arrival.index()));
  }

  /** How long the worker of an arrival waits after its call; changes the draws. */
  public long thinkNanos(Arrival arrival, Draws draws) {
    LoadConfig.ThinkTime think = schedule.load().thinkTime();
    return think.none()
        ? 0
        : think.nanos(draws.at(Bits.hash(seed, THINK), arrival.index()).nextDouble());
  }

  /**
   * How long a worker waits before its first call, uniform from 0 to the mean think time: workers
   * that begin together would call together for the whole run. Changes the draws.
   *
   * @param worker over all generators
   */
  public long firstThinkNanos(long worker, Draws draws) {
    double mean = schedule.load().thinkTime().meanSeconds();
    return mean == 0
        ? 0
        : Math.round(draws.at(Bits.hash(seed, FIRST_THINK), worker).nextDouble() * mean * 1e9);
  }

  /**
   * A number that stands for an arrival with all that the plan decides of it (index, due time,
   * transaction, next draw); 0 for those that {@link #hashedShift} leaves out.
   *
   * @param transaction that the arrival is used for
   * @param draws of the arrival, after {@link #transaction}
   */
  public long fingerprint(Arrival arrival, int transaction, Draws draws) {
    return (arrival.index() & hashedMask) < schedule.load().generators()
        ? Bits.hash(arrival.index(), arrival.dueNanos(), transaction, draws.peek())
        : 0;
  }

  /**
   * Of every 2^k arrivals the fingerprints of the first n are used, n being the number of
   * generators, so that each has one. k is the smallest one that leaves about 4 million at most; in
   * the closed model, whose number is not known beforehand, 200 000 arrivals per second are
   * assumed.
   */
  public int hashedShift() {
    return Long.SIZE - Long.numberOfLeadingZeros(hashedMask);
  }

  private static long hashedMask(Schedule schedule) {
    double arrivals =
        schedule.load().open()
            ? schedule.curve().total()
            : schedule.endNanos() / 1e9 * CLOSED_ARRIVALS_PER_SECOND;
    long every = 1;
    while (arrivals / every * schedule.load().generators() > MOST_HASHED) {
      every *= 2;
    }
    return every - 1;
  }

  /**
   * Equal for two runs with the same plan, whatever their target and number of workers, and however
   * long their warm-ups were prolonged: a hash over the names of the transactions, the segments and
   * the fingerprints of the first arrivals.
   */
  public String hash() {
    return schedule.prolongedNanos() == 0
        ? ownHash()
        : new Plan(schedule.prolonged(0), mix, seed).ownHash();
  }

  private String ownHash() {
    long hash = 0;
    for (String name : mix.names()) {
      for (char c : (name + '\n').toCharArray()) {
        hash = Bits.hash(hash, c);
      }
    }
    for (Segment s : schedule.segments()) {
      hash = Bits.hash(hash, s.startNanos(), s.endNanos());
      hash = Bits.hash(hash, bits(s.fromRate()), bits(s.toRate()));
      hash = Bits.hash(hash, bits(s.fromWorkers()), bits(s.toWorkers()));
    }
    LoadConfig.ThinkTime think = schedule.load().thinkTime();
    if (!think.none()) {
      hash = Bits.hash(hash, bits(think.meanSeconds()), think.distribution().name().hashCode());
    }
    boolean open = schedule.load().open();
    double until = Math.min(FIRST_ARRIVALS, schedule.curve().total());
    long arrivals = open ? schedule.positions().before(until) : FIRST_ARRIVALS;
    LongFunction<Arrival> byIndex = schedule.byIndex();
    Draws draws = new Draws();
    for (long i = 0; i < arrivals; i++) {
      Arrival arrival = byIndex.apply(i);
      int transaction = transaction(arrival, draws);
      long due = arrival.dueNanos();
      hash = Bits.hash(hash, Bits.hash(i, due, transaction, draws.peek()));
    }
    return HexFormat.of().toHexDigits(hash);
  }

  private static long bits(double value) {
    return Double.doubleToLongBits(value);
  }

  /** Expected arrivals of all generators by segment and transaction; empty in the closed model. */
  public Map<String, Map<String, Double>> expected() {
    Map<String, Map<String, Double>> result = new LinkedHashMap<>();
    for (Segment segment : schedule.segments()) {
      if (segment.arrivals() > 0) {
        Map<String, Double> counts = new LinkedHashMap<>();
        for (int i = 0; i < mix.names().size(); i++) {
          counts.put(mix.names().get(i), segment.arrivals() * mix.share(i));
        }
        result.put(segment.name(), counts);
      }
    }
    return result;
  }

  /**
   * The most arrivals a second of some transactions at any time, of all generators together; 0 in
   * the closed model.
   */
  public double mostPerSecond(Predicate<String> transactions) {
    double share = 0;
    for (int i = 0; i < mix.names().size(); i++) {
      share += transactions.test(mix.names().get(i)) ? mix.share(i) : 0;
    }
    double rate = 0;
    for (Segment segment : schedule.segments()) {
      rate = Math.max(rate, Math.max(segment.fromRate(), segment.toRate()));
    }
    return rate * share;
  }
}
