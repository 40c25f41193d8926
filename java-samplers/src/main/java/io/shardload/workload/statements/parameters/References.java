package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import io.shardload.data.Bits;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The types {@code sequential} and {@code reference}: values that depend on row numbers. */
final class References {
  static final String TABLE = "table";
  static final String COLUMN = "column";
  private static final String FROM = "from";
  private static final String QUERY = "query";
  private static final String LATEST = "latest";
  private static final String BY = "by";
  private static final String IN_TURN = "in-turn";

  private References() {}

  /**
   * A column that is referenced.
   *
   * @param rows that the load creates in its table
   */
  record Target(String table, Column column, long rows) {
    ValueType type() {
      return column.values().type();
    }
  }

  /** Finds columns by {@code table} and {@code column}. */
  interface Targets {
    /**
     * The column that a parameter references.
     *
     * @param needsRows whether the table must have rows
     * @return empty if there is no such column, or if it has a problem, which is recorded
     */
    Optional<Target> find(Spec spec, boolean needsRows);

    /** The table whose rows are followed. */
    Optional<Entity> entity();

    /** A value of the type {@code parent}, {@code position} or {@code children} for a column. */
    Optional<Parameter> related(String type, Spec spec);

    /** How many rows are loaded of the table whose column is read. */
    long rows();

    /** As {@link Siblings.Lookup#find}, for a column: another column of its table. */
    Optional<Siblings.Sibling> sibling(Spec spec, String key);
  }

  /** A seeded bijection of the new number or the number of the row, as 16 digits or a number. */
  private record Permuted(long key, ValueType type) implements Entity.Key {
    private static final int DIGITS = 16;

    @Override
    public boolean takesFresh() {
      return true;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long image = Bits.mix(fresh(occasion) ^ key);
      return type == ValueType.TEXT ? HexFormat.of().toHexDigits(image) : (Object) image;
    }

    @Override
    public long rowOf(Object value) {
      if (type == ValueType.INTEGER) {
        return value instanceof Long image ? Bits.unmix(image) ^ key : -1;
      }
      return value instanceof String text && text.length() == DIGITS ? rowOf(text) : -1;
    }

    /** Without a pattern: each row of an answer is asked. */
    private long rowOf(String text) {
      long image = 0;
      for (int i = 0; i < DIGITS; i++) {
        char c = text.charAt(i);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
          return -1;
        }
        image = image << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
      }
      return Bits.unmix(image) ^ key;
    }
  }

  /** Counts up by one, never twice the same. */
  private record Sequential(long from) implements Entity.Key {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    @Override
    public boolean takesFresh() {
      return true;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return from + fresh(occasion);
    }

    @Override
    public long rowOf(Object value) {
      return value instanceof Long number && number >= from ? number - from : -1;
    }
  }

  /** Counts up from the result of a query: for data whose rows are not known. */
  private record SequentialFrom(OptionalLong from) implements Lists.Asked {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    /** One row, and a second one to detect that there are more. */
    @Override
    public int sample() {
      return 2;
    }

    @Override
    public Parameter with(String key, List<Object> returned) {
      if (returned.size() == 1 && returned.get(0) instanceof Number number) {
        try {
          return new SequentialFrom(
              OptionalLong.of(new BigDecimal(number.toString()).longValueExact()));
        } catch (ArithmeticException e) {
          throw new ConfigException(key + "." + FROM, "the query did not return a whole number");
        }
      }
      throw new ConfigException(
          key + "." + FROM,
          "the query must return one row with one number, such as SELECT"
              + " coalesce(max(id), 0) + 1");
    }

    @Override
    public boolean takesFresh() {
      return true;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return from.orElseThrow(() -> new IllegalStateException("the query was not run yet"))
          + fresh(occasion);
    }
  }

  /** The column's value in a row after the loaded rows. */
  private record Continued(Target target) implements Parameter {
    @Override
    public ValueType type() {
      return target.type();
    }

    @Override
    public boolean takesFresh() {
      return true;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return target.column().at(target.rows() + fresh(occasion));
    }
  }

  private record Uniform(Target target) implements Parameter {
    @Override
    public ValueType type() {
      return target.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return target.column().at(draws.next(target.rows()));
    }
  }

  /** A column whose rows refer to the rows of the target one after the other, again and again. */
  record InTurn(Target target) implements Parameter {
    @Override
    public ValueType type() {
      return target.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return target.column().at(of(occasion));
    }

    /** How many rows the target has. */
    long rows() {
      return target.rows();
    }

    /** The row of the target to which a row refers. */
    long of(Occasion occasion) {
      return occasion.row().number() % target.rows();
    }
  }

  /**
   * The same rows are hot for all references to the table, and they are spread over the whole
   * table.
   */
  private record Zipfian(Target target, KeyDistribution ranks, Scatter scatter)
      implements Parameter {
    @Override
    public ValueType type() {
      return target.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return target.column().at(scatter.of(ranks.draw(draws, target.rows())));
    }
  }

  /** The value in the row whose key another column has; null where that is NULL. */
  private record OfReferred(Target target, Siblings.Sibling link, Entity.Key key)
      implements Parameter {
    @Override
    public ValueType type() {
      return target.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      Object value = link.value(occasion);
      return value == null ? null : target.column().at(key.rowOf(value));
    }
  }

  /** By age: first the rows that the generator has added, then the loaded rows. */
  private record Latest(Target target, KeyDistribution ages) implements Parameter {
    @Override
    public ValueType type() {
      return target.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long added = occasion.recent().count();
      long age = ages.draw(draws, added + target.rows());
      long row =
          age < added
              ? target.rows() + occasion.recent().at(age)
              : target.rows() - 1 - (age - added);
      return target.column().at(row);
    }
  }

  /** The new number, which the call must have claimed. */
  static long fresh(Occasion occasion) {
    if (occasion.fresh() < 0) {
      throw new IllegalStateException("the call claimed no new number");
    }
    return occasion.fresh();
  }

  static Parameter permuted(Spec spec, long seed) {
    String as =
        spec.choice(
            "as",
            ValueType.TEXT.label(),
            List.of(ValueType.TEXT.label(), ValueType.INTEGER.label()));
    return new Permuted(Bits.hash(seed, 0), Conversion.type(as));
  }

  static Optional<Parameter> sequential(Spec spec, Targets targets) {
    boolean hasColumn =
        spec.has(COLUMN); // Read in any case, because a key that is never read is refused.
    boolean continues = spec.has(TABLE) || hasColumn;
    if (!continues && spec.is(FROM, QUERY)) {
      if (spec.use() != Spec.Use.PARAMETER) {
        spec.problem(FROM, "query is allowed only for parameters");
      }
      spec.text(FROM, ""); // Read, so that the key does not count as unknown.
      return Optional.of(new SequentialFrom(OptionalLong.empty()));
    }
    if (!continues) {
      long most = Long.MAX_VALUE / 2;
      return Optional.of(new Sequential(spec.integer(FROM, 1, -most, most)));
    }
    if (spec.use().ofRows()) {
      spec.problem(TABLE, "is allowed only for parameters: a column counts its own rows");
    }
    if (spec.has(FROM)) {
      spec.problem(
          FROM,
          "cannot be set together with table: the numbers continue after the rows of the table");
    }
    return targets.find(spec, false).map(Continued::new);
  }

  /**
   * @param seed of the workload; determines the hot rows
   */
  static Optional<Parameter> reference(Spec spec, Targets targets, long seed) {
    if (spec.has(BY)) {
      return referenceBy(spec, targets);
    }
    List<String> distributions =
        spec.use().ofRows()
            ? List.of(Numbers.UNIFORM, Numbers.ZIPFIAN, IN_TURN)
            : List.of(Numbers.UNIFORM, Numbers.ZIPFIAN, LATEST);
    String distribution = spec.choice(Numbers.DISTRIBUTION, Numbers.UNIFORM, distributions);
    boolean isRanked = distribution.equals(Numbers.ZIPFIAN) || distribution.equals(LATEST);
    KeyDistribution ranks = isRanked ? Numbers.zipfian(spec) : KeyDistribution.uniform();
    Optional<Target> target = targets.find(spec, true);
    return switch (distribution) {
      case Numbers.ZIPFIAN -> target.map(to -> new Zipfian(to, ranks, scatter(seed, to)));
      case LATEST -> target.map(to -> new Latest(to, ranks));
      case IN_TURN -> target.map(InTurn::new);
      default -> target.map(Uniform::new);
    };
  }

  /** The value in the row that another column of the same row refers to by its key. */
  private static Optional<Parameter> referenceBy(Spec spec, Targets targets) {
    if (!spec.use().ofRows()) {
      spec.problem(BY, "is allowed only for columns");
      return Optional.empty();
    }
    Optional<Target> target = targets.find(spec, true);
    Optional<Siblings.Sibling> link = targets.sibling(spec, BY);
    if (target.isEmpty() || link.isEmpty()) {
      return Optional.empty();
    }
    Optional<Target> linked = linked(link.get());
    if (linked.isEmpty()
        || !linked.get().table().equals(target.get().table())
        || !(linked.get().column().values() instanceof Entity.Key)) {
      spec.problem(
          BY,
          "\"%s\" does not refer to a sequential or permuted column of %s"
              .formatted(spec.text(BY, ""), target.get().table()));
      return Optional.empty();
    }
    Entity.Key key = (Entity.Key) linked.get().column().values();
    return Optional.of(new OfReferred(target.get(), link.get(), key));
  }

  private static Optional<Target> linked(Siblings.Sibling link) {
    Parameter values = link instanceof Siblings.OfRow row ? row.column().values() : null;
    Parameter whole = values instanceof Composites.Nullable nullable ? nullable.of() : values;
    return whole instanceof Uniform uniform
        ? Optional.of(uniform.target())
        : whole instanceof Zipfian zipfian ? Optional.of(zipfian.target()) : Optional.empty();
  }

  private static Scatter scatter(long seed, Target to) {
    return new Scatter(seed ^ Column.hash(to.table()), to.rows());
  }

  /**
   * A seeded bijection of the numbers below n: it spreads frequently drawn rows over the whole
   * table instead of its first pages. Immutable and thread-safe.
   *
   * <p>It permutes the words of as few bits as n needs, with invertible steps, until the word is
   * below n again (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite Domains",
   * 2002).
   */
  static final class Scatter {
    private static final int ROUNDS = 3;

    private final long seed;
    private final long n;
    private final long mask;
    private final int shift;

    /**
     * @param n how many numbers, at least 1
     */
    Scatter(long seed, long n) {
      int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(n - 1));
      this.seed = seed;
      this.n = n;
      this.mask = -1L >>> (Long.SIZE - bits);
      this.shift = Math.max(1, bits / 2);
    }

    /** The image of a number in 0 (inclusive) to n (exclusive); in the same range. */
    long of(long number) {
      long word = number;
      do {
        for (int round = 0; round < ROUNDS; round++) {
          long key = Bits.hash(seed, round);
          word = (word ^ key) & mask;
          // Multiplication by an odd number, and xor with the number's own high bits: both are
          // invertible.
          word = (word * (key | 1)) & mask;
          word ^= word >>> shift;
        }
      } while (word >= n);
      return word;
    }
  }
}
