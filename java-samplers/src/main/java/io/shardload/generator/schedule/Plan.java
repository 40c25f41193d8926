package io.shardload.generator.schedule;

import io.shardload.data.Draws;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What a seed decides before anything runs: when transactions are due and which one each arrival
 * draws. The draws of an arrival are a stream of their own; the first one chooses the transaction,
 * the following ones its keys and arguments.
 */
public final class Plan {
  private static final int HASHED_ARRIVALS = 100_000;

  private final Schedule schedule;
  private final Mix mix;
  private final long seed;

  public Plan(Schedule schedule, Mix mix, long seed) {
    this.schedule = schedule;
    this.mix = mix;
    this.seed = seed;
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

  /**
   * SHA-256 over (index, due time, transaction, next draw) of the first 100 000 arrivals: equal for
   * two runs that issue the same stream, whatever their target and number of workers.
   */
  public String hash() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      mix.names().forEach(name -> digest.update(name.getBytes(StandardCharsets.UTF_8)));
      Arrivals arrivals = schedule.arrivals();
      Draws draws = new Draws();
      ByteBuffer words = ByteBuffer.allocate(4 * Long.BYTES);
      for (int i = 0; i < HASHED_ARRIVALS; i++) {
        Arrival arrival = arrivals.next();
        if (arrival == null) {
          break;
        }
        int transaction = transaction(arrival, draws);
        words.clear().putLong(arrival.index()).putLong(arrival.dueNanos());
        digest.update(words.putLong(transaction).putLong(draws.nextLong()).flip());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
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

  /** Counts all arrivals due before a time, by segment and transaction. */
  public long[][] due(long beforeNanos) {
    DueCounter counter = new DueCounter(this);
    counter.countUntil(beforeNanos);
    return counter.counts();
  }
}
