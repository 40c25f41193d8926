package io.shardload.workload.statements.parameters;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.Durations;
import io.shardload.data.Bits;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.data.Text;
import io.shardload.workload.statements.port.ValueType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The types {@code uuid}, {@code text}, {@code word}, {@code boolean} and {@code timestamp}. */
final class Scalars {
  private static final String LENGTH = "length";
  private static final String WORDS = "words";
  private static final String FROM = "from";
  private static final String TO = "to";
  private static final int MOST_LENGTH = 1 << 20;
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
      long low = draws.nextLong();
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

  private record OfText(int least, int most, Text text) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      int length = least + (least == most ? 0 : (int) draws.next(most - least + 1L));
      return text.make(draws.nextLong(), length);
    }
  }

  private record OfWord(List<String> words, KeyDistribution ranks) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return words.get((int) ranks.draw(draws, words.size()));
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
  private record OfTimestamp(long from, long to, boolean relative) implements Parameter {
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

  static Parameter text(Spec spec) {
    List<String> bounds = spec.isList(LENGTH) ? spec.texts(LENGTH) : List.of(spec.text(LENGTH, ""));
    double compressibility =
        spec.number(
            "compressibility",
            DEFAULT_COMPRESSIBILITY,
            LEAST_COMPRESSIBILITY,
            MOST_COMPRESSIBILITY);
    Text text = new Text(compressibility);
    if (!spec.requires(LENGTH)) {
      return new OfText(0, 0, text);
    }
    List<Long> lengths =
        bounds.stream().flatMap(bound -> length(bound).stream()).distinct().toList();
    long least = lengths.isEmpty() ? -1 : lengths.get(0);
    long most = lengths.isEmpty() ? -1 : lengths.get(lengths.size() - 1);
    boolean complete = bounds.stream().allMatch(bound -> length(bound).isPresent());
    if (!complete || bounds.size() > 2 || (bounds.size() < 2 && spec.isList(LENGTH))) {
      spec.problem(
          LENGTH,
          "is neither a number of characters up to %d nor [least, most]".formatted(MOST_LENGTH));
    } else if (least > most) {
      spec.problem(LENGTH, "the least, %d, is above the most, %d".formatted(least, most));
    }
    return new OfText((int) least, (int) most, text);
  }

  private static Optional<Long> length(String text) {
    return text.matches("\\d{1,7}") && Long.parseLong(text) <= MOST_LENGTH
        ? Optional.of(Long.parseLong(text))
        : Optional.empty();
  }

  static Parameter word(Spec spec) {
    List<String> words = spec.texts(WORDS);
    if (words.isEmpty() && spec.sound()) {
      spec.problem(WORDS, "is missing: list at least one word, such as [Oslo, Bergen]");
    }
    return new OfWord(List.copyOf(words), Numbers.ranks(spec));
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
      spec.dated();
      return new OfTimestamp(nowMillis + from.millis(), nowMillis + to.millis(), false);
    }
    return new OfTimestamp(from.millis(), to.millis(), from.relative());
  }

  /** A JSON object with a value per field. Instants and uuids are strings in it. */
  record OfJson(List<String> names, List<Parameter> fields) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.JSON;
    }

    @Override
    public boolean takesFresh() {
      return fields.stream().anyMatch(Parameter::takesFresh);
    }

    @Override
    public boolean distinctWhereWritten() {
      return fields.stream().anyMatch(Parameter::distinctWhereWritten);
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      JsonObject json = new JsonObject();
      for (int i = 0; i < fields.size(); i++) {
        Object value = fields.get(i).draw(draws, occasion);
        if (value instanceof JsonObject object) {
          json.add(names.get(i), object);
        } else if (value instanceof Number number) {
          json.addProperty(names.get(i), number);
        } else if (value instanceof Boolean bool) {
          json.add(names.get(i), new JsonPrimitive(bool));
        } else {
          json.addProperty(names.get(i), value.toString());
        }
      }
      return json;
    }
  }
}
