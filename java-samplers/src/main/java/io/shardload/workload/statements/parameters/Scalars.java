package io.shardload.workload.statements.parameters;

import io.shardload.config.Durations;
import io.shardload.data.Bits;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.data.Text;
import io.shardload.workload.statements.port.ValueType;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The types {@code uuid}, {@code text}, {@code word}, {@code boolean} and {@code timestamp}. */
final class Scalars {
  private static final String LENGTH = "length";
  private static final String LENGTHS = "lengths";

  /** The key of a column whose lengths have draws of their own. */
  private static final String STREAM = "lengths-stream";

  private static final String WORDS = "words";
  private static final String WEIGHTS = "weights";
  private static final String INSERT = "insert";
  private static final String FROM = "from";
  private static final String TO = "to";
  private static final int MOST_LENGTH = 8 << 20;
  private static final double DEFAULT_COMPRESSIBILITY = 2.0;
  private static final double LEAST_COMPRESSIBILITY = 1.3;
  private static final double MOST_COMPRESSIBILITY = 4.0;
  private static final double ALL_PERCENT = 100;

  // The bits of a UUID that say version 4, variant 1 (RFC 9562).
  private static final long VERSION_BITS = 0xF000L;
  private static final long VERSION_4 = 0x4000L;
  private static final long VARIANT_1 = Long.MIN_VALUE;
  private static final long OTHER_BITS = -1L >>> 2;

  private Scalars() {}

  /**
   * Version 4. A second run has the same draws as the first. The new number makes the values
   * differ, so that rows inserted by one run do not conflict with the next run.
   *
   * @param ofRows whether the values belong to rows of a table, which depend only on their draws
   */
  record OfUuid(boolean ofRows) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.UUID;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long high = draws.nextLong();
      long low = ofRows ? Bits.mix(high) : draws.nextLong();
      if (!ofRows && occasion.fresh() >= 0) {
        high = Bits.hash(high, occasion.fresh());
        low = Bits.hash(low, occasion.fresh());
      }
      return new UUID((high & ~VERSION_BITS) | VERSION_4, (low & OTHER_BITS) | VARIANT_1);
    }

    @Override
    public boolean distinctWhereWritten() {
      return !ofRows;
    }
  }

  /** How long a text is: between two bounds, or one of some lengths. */
  @FunctionalInterface
  private interface Length {
    int draw(Draws draws, Occasion occasion);
  }

  private record OfText(Length length, double meanLength, Text text, Inserted inserted)
      implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      int characters = length.draw(draws, occasion);
      String made = text.make(draws.nextLong(), characters);
      return inserted == null || draws.nextDouble() >= inserted.share
          ? made
          : inserted.into(made, draws);
    }
  }

  /** Puts a word of its own, between blanks, into a share of the texts, whose length stays. */
  private record Inserted(Words words, double share) {
    String into(String text, Draws draws) {
      String word = ' ' + words.draw(draws) + ' ';
      int at = (int) draws.next(text.length() - word.length() + 1L);
      return text.substring(0, at) + word + text.substring(at + word.length());
    }
  }

  /** Words that are drawn by their weights. */
  private record Words(List<String> words, KeyDistribution ranks) {
    String draw(Draws draws) {
      return words.get((int) ranks.draw(draws, words.size()));
    }

    int longest() {
      return words.stream().mapToInt(String::length).max().orElse(0);
    }
  }

  private record OfWord(Words words) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return words.draw(draws);
    }
  }

  private record OfBoolean(double share) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.BOOLEAN;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return draws.nextDouble() < share;
    }
  }

  /** Milliseconds since the epoch, or since the call if they are relative. */
  private record OfTimestamp(long from, long to, boolean relative, boolean dated)
      implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TIMESTAMP;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long zero = relative ? occasion.nowMillis() : 0;
      return Instant.ofEpochMilli(zero + from + draws.next(to - from + 1));
    }
  }

  /**
   * @param seed of the workload
   */
  static Parameter text(Spec spec, long seed) {
    double compressibility =
        spec.number(
            "compressibility",
            DEFAULT_COMPRESSIBILITY,
            LEAST_COMPRESSIBILITY,
            MOST_COMPRESSIBILITY);
    List<Long> lengths = spec.has(LENGTHS) ? lengths(spec) : List.of();
    Spec.Range range =
        lengths.isEmpty() ? spec.range(LENGTH, MOST_LENGTH, "characters") : Spec.Range.NONE;
    KeyDistribution weights = weights(spec, LENGTHS, lengths.size());
    long least = lengths.stream().min(Comparator.naturalOrder()).orElse(range.least());
    long stream = spec.integer(STREAM, 0, 1, Column.MOST_STREAMS);
    Length length =
        lengths.isEmpty()
            ? (draws, occasion) -> (int) range.draw(draws)
            : (draws, occasion) -> {
              // One length is not drawn.
              Draws own =
                  stream == 0
                      ? draws
                      : new Draws().ofRow(Bits.hash(seed, stream), occasion.fresh());
              return lengths
                  .get(lengths.size() == 1 ? 0 : (int) weights.draw(own, lengths.size()))
                  .intValue();
            };
    double all = lengths.stream().mapToLong(one -> one).average().orElse(0);
    double mean = lengths.isEmpty() ? (range.least() + range.most()) / 2.0 : all;
    return new OfText(
        length, spec.has(WEIGHTS) ? 0 : mean, new Text(compressibility), inserted(spec, least));
  }

  private static List<Long> lengths(Spec spec) {
    if (spec.has(LENGTH)) {
      spec.problem(LENGTHS, "cannot be set together with length");
    }
    return spec.isList(LENGTHS)
        ? spec.numbers(LENGTHS, 0, MOST_LENGTH).stream().map(Double::longValue).toList()
        : List.of(spec.integer(LENGTHS, 0, 0, MOST_LENGTH));
  }

  private static Inserted inserted(Spec spec, long least) {
    if (!spec.has(INSERT)) {
      return null;
    }
    Spec section = spec.section(INSERT);
    Words words = words(section);
    double percent = section.number("percent", ALL_PERCENT, 0, ALL_PERCENT);
    if (section.sound() && words.longest() + 2 > least) {
      section.problem(
          WORDS,
          "have %d characters with a blank on both sides, but the text may have only %d"
              .formatted(words.longest() + 2, least));
    }
    spec.problems(section.end());
    return new Inserted(words, percent / ALL_PERCENT);
  }

  static Parameter word(Spec spec) {
    return new OfWord(words(spec));
  }

  private static Words words(Spec spec) {
    List<String> words = List.copyOf(spec.texts(WORDS));
    if (words.isEmpty() && spec.sound()) {
      spec.problem(WORDS, "is missing: list at least one word, such as [Oslo, Bergen]");
    }
    if (!spec.has(WEIGHTS)) {
      return new Words(words, Numbers.ranks(spec));
    }
    if (spec.has(Numbers.DISTRIBUTION)) {
      spec.problem(WEIGHTS, "cannot be set together with distribution");
    }
    return new Words(words, weights(spec, WORDS, words.size()));
  }

  /** How often each entry of a list is drawn; all equally often without weights. */
  private static KeyDistribution weights(Spec spec, String list, int entries) {
    if (!spec.has(WEIGHTS)) {
      return KeyDistribution.uniform();
    }
    List<Double> weights = spec.numbers(WEIGHTS, 0, Integer.MAX_VALUE);
    double sum = weights.stream().mapToDouble(weight -> weight).sum();
    if (spec.sound() && weights.size() != entries) {
      spec.problem(
          WEIGHTS,
          "has %d numbers, but %s has %d entries".formatted(weights.size(), list, entries));
    } else if (spec.sound() && sum <= 0) {
      spec.problem(WEIGHTS, "has no number above 0");
    }
    double[] ends = new double[weights.size()];
    double end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += weights.get(i);
      ends[i] = end / sum;
    }
    return (draws, n) -> {
      double drawn = draws.nextDouble();
      int index = 0;
      while (index < ends.length - 1 && drawn >= ends[index]) {
        index++;
      }
      return index;
    };
  }

  static Parameter bool(Spec spec) {
    return new OfBoolean(spec.number("true", ALL_PERCENT / 2, 0, ALL_PERCENT) / ALL_PERCENT);
  }

  /** A bound of a timestamp: milliseconds since the epoch, or since now. */
  private record Bound(long millis, boolean relative) {
    static Bound read(Spec spec, String key) {
      String text = spec.text(key, "0s").strip();
      Optional<Instant> instant = Conversion.Instants.parse(text);
      if (instant.isPresent()) {
        return new Bound(instant.get().toEpochMilli(), false);
      }
      boolean before = text.startsWith("-");
      String size = before || text.startsWith("+") ? text.substring(1) : text;
      Optional<Long> millis = Durations.parse(size).map(duration -> duration.toMillis());
      if (millis.isEmpty()) {
        spec.problem(
            key,
            "'%s' is neither an instant, such as 2026-01-31T12:00:00Z, nor a time relative to now, such as -7d"
                .formatted(text));
      }
      return new Bound((before ? -1 : 1) * millis.orElse(0L), true);
    }
  }

  /**
   * @param nowMillis reference time for the relative times of a column
   */
  static Parameter timestamp(Spec spec, long nowMillis) {
    Bound from = Bound.read(spec, FROM);
    Bound to = Bound.read(spec, TO);
    if (spec.sound() && from.relative() != to.relative()) {
      spec.problem(TO, "from and to must both be instants, or both be relative to now");
    } else if (spec.sound() && from.millis() > to.millis()) {
      spec.problem(
          FROM,
          "'%s' is after '%s', the value of to"
              .formatted(spec.text(FROM, "0s"), spec.text(TO, "0s")));
    }
    if (from.relative() && spec.use().ofRows()) {
      return new OfTimestamp(nowMillis + from.millis(), nowMillis + to.millis(), false, true);
    }
    return new OfTimestamp(from.millis(), to.millis(), from.relative(), false);
  }
}
