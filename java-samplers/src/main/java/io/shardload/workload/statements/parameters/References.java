package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.workload.statements.parameters.choice.Scatter;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The types {@code sequential} and {@code reference}: values of rows by their numbers. */
final class References {
  static final String TABLE = "table";
  static final String COLUMN = "column";
  private static final String FROM = "from";
  private static final String QUERY = "query";
  private static final String LATEST = "latest";

  private References() {}

  /**
   * A column that something refers to.
   *
   * @param rows that the load makes of its table
   */
  record Target(String table, Column column, long rows) {
    ValueType type() {
      return column.values().type();
    }
  }

  /** Finds columns by {@code table} and {@code column}. */
  interface Targets {
    /**
     * The column that a parameter names.
     *
     * @param needsRows whether the table must have rows
     * @return empty if there is no such column, or if something is wrong with it, which is noted
     */
    Optional<Target> find(Spec spec, boolean needsRows);
  }

  /** Counts up by one, never twice the same. */
  private record Sequential(long from) implements Parameter {
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
  }

  /** Counts up from what a query returned once: for data that nobody knows the rows of. */
  private record SequentialFrom(OptionalLong from) implements Lists.Asked {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    /** One row, and one more to see that there is none. */
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
          throw new ConfigException(key + "." + FROM, "the query returned no whole number");
        }
      }
      throw new ConfigException(
          key + "." + FROM,
          "the query must return one row with one number, as SELECT coalesce(max(id), 0) + 1 does");
    }

    @Override
    public boolean takesFresh() {
      return true;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return from.orElseThrow(() -> new IllegalStateException("the query was not asked yet"))
          + fresh(occasion);
    }
  }

  /** The column's value in a row behind those that were loaded. */
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

  /** The same rows are hot for all that refer to the table, and they lie all over it. */
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

  /** By age: first the rows that the generator has added, then those that were loaded. */
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

  /** The fresh number, which the call must have claimed. */
  static long fresh(Occasion occasion) {
    if (occasion.fresh() < 0) {
      throw new IllegalStateException("the call has claimed no fresh number");
    }
    return occasion.fresh();
  }

  static Optional<Parameter> sequential(Spec spec, Targets targets) {
    boolean hasColumn =
        spec.has(COLUMN); // Asked for in any case: a key that nobody asks for is refused.
    boolean continues = spec.has(TABLE) || hasColumn;
    if (!continues && spec.is(FROM, QUERY)) {
      if (spec.use() != Spec.Use.PARAMETER) {
        spec.problem(FROM, "query is for parameters alone");
      }
      spec.text(FROM, ""); // Asked for, so that it is no unknown key.
      return Optional.of(new SequentialFrom(OptionalLong.empty()));
    }
    if (!continues) {
      long most = Long.MAX_VALUE / 2;
      return Optional.of(new Sequential(spec.integer(FROM, 1, -most, most)));
    }
    if (spec.use().ofRows()) {
      spec.problem(TABLE, "is for parameters alone: a column counts its own rows");
    }
    if (spec.has(FROM)) {
      spec.problem(FROM, "stands beside table: the numbers go on from its rows");
    }
    return targets.find(spec, false).map(Continued::new);
  }

  /**
   * @param seed of the workload, for which rows are hot
   */
  static Optional<Parameter> reference(Spec spec, Targets targets, long seed) {
    List<String> distributions =
        spec.use().ofRows()
            ? List.of(Numbers.UNIFORM, Numbers.ZIPFIAN)
            : List.of(Numbers.UNIFORM, Numbers.ZIPFIAN, LATEST);
    String distribution = spec.choice(Numbers.DISTRIBUTION, Numbers.UNIFORM, distributions);
    KeyDistribution ranks =
        distribution.equals(Numbers.UNIFORM) ? KeyDistribution.uniform() : Numbers.zipfian(spec);
    Optional<Target> target = targets.find(spec, true);
    return switch (distribution) {
      case Numbers.ZIPFIAN -> target.map(to -> new Zipfian(to, ranks, scatter(seed, to)));
      case LATEST -> target.map(to -> new Latest(to, ranks));
      default -> target.map(Uniform::new);
    };
  }

  private static Scatter scatter(long seed, Target to) {
    return new Scatter(seed ^ Column.hash(to.table()), to.rows());
  }
}
