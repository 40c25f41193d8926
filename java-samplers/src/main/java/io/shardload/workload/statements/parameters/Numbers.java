package io.shardload.workload.statements.parameters;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.util.List;

/** The types {@code integer} and {@code decimal}. */
final class Numbers {
  static final String DISTRIBUTION = "distribution";
  static final String UNIFORM = "uniform";
  static final String ZIPFIAN = "zipfian";
  private static final String NORMAL = "normal";
  private static final String MIN = "min";
  private static final String MAX = "max";
  private static final String FORMAT = "format";
  private static final String BITS = "bits";
  private static final int MOST_DIGITS = 18;
  private static final double DEFAULT_EXPONENT = 0.99;
  private static final double MOST_EXPONENT = 10;
  private static final double LEAST_EXPONENT = 0.01;

  /** The whole range is six deviations wide: few draws fall outside. */
  private static final int DEVIATIONS = 6;

  private Numbers() {}

  /** Draws whole numbers. */
  private interface Whole {
    long draw(Draws draws);
  }

  private record OfInteger(Whole values, Width width) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return width.of(values.draw(draws));
    }
  }

  /**
   * How many bits a document keeps of a whole number; the tables of SQL have types of their own.
   */
  enum Width {
    BITS_32,
    BITS_64;

    /** Reads the key {@code bits}. */
    static Width read(Spec spec) {
      return spec.choice(BITS, "64", List.of("32", "64")).equals("32") ? BITS_32 : BITS_64;
    }

    /** The number in the class that drivers send with this width. */
    Object of(long number) {
      return this == BITS_32 ? (Object) Math.toIntExact(number) : (Object) number;
    }
  }

  /** A decimal is stored as a whole number of units of its last digit. */
  private record OfDecimal(Whole values, int scale) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.DECIMAL;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return BigDecimal.valueOf(values.draw(draws), scale);
    }
  }

  /** A number within a text, such as {@code guest_0042}. */
  private record InText(Whole values, String format) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return format.formatted(values.draw(draws));
    }
  }

  static Parameter integer(Spec spec) {
    spec.requires(MAX);
    long min = spec.integer(MIN, 0, Long.MIN_VALUE, Long.MAX_VALUE);
    long max = spec.integer(MAX, Math.max(min, 0), Long.MIN_VALUE, Long.MAX_VALUE);
    Whole values = whole(spec, min, max, 0);
    Width width = Width.read(spec);
    boolean fits = min >= Integer.MIN_VALUE && max <= Integer.MAX_VALUE;
    if (width == Width.BITS_32 && (spec.has(FORMAT) || !fits)) {
      spec.problem(BITS, fits ? "cannot be set together with format" : "32 do not hold min to max");
    }
    if (!spec.has(FORMAT)) {
      return new OfInteger(values, width);
    }
    String format = spec.text(FORMAT, "");
    if (!format.matches("[^%]*%(0[1-9]\\d?)?d[^%]*")) {
      spec.problem(FORMAT, "'%s' has not one number such as %%d or %%04d".formatted(format));
    }
    return new InText(values, format);
  }

  static Parameter decimal(Spec spec) {
    spec.requires(MAX);
    int scale = (int) spec.integer("scale", 2, 0, MOST_DIGITS);
    long min = unscaled(spec, MIN, scale);
    long max = unscaled(spec, MAX, scale);
    return new OfDecimal(whole(spec, min, max, scale), scale);
  }

  private static long unscaled(Spec spec, String key, int scale) {
    BigDecimal value = spec.decimal(key).orElse(BigDecimal.ZERO);
    try {
      return value.movePointRight(scale).longValueExact();
    } catch (ArithmeticException e) {
      spec.problem(
          key,
          "%s has more than %d decimal places, or is too large for this number of decimal places"
              .formatted(value.toPlainString(), scale));
      return 0;
    }
  }

  /**
   * The bounds of a decimal are whole numbers of units of its last digit; mean and deviation are
   * not.
   */
  private static Whole whole(Spec spec, long min, long max, int scale) {
    boolean sound = spec.sound();
    String distribution = spec.choice(DISTRIBUTION, UNIFORM, List.of(UNIFORM, ZIPFIAN, NORMAL));
    if (sound && min > max) {
      spec.problem(
          MIN,
          "%s is above max, %s"
              .formatted(BigDecimal.valueOf(min, scale), BigDecimal.valueOf(max, scale)));
    }
    if (sound && min <= max && (max - min < 0 || max - min == Long.MAX_VALUE)) {
      spec.problem(MAX, "is too far from min: there would be more than 2^63 - 1 values");
    }
    if (distribution.equals(NORMAL)) {
      return normal(spec, min, max, scale);
    }
    KeyDistribution ranks =
        distribution.equals(ZIPFIAN) ? zipfian(spec) : KeyDistribution.uniform();
    return draws -> min + ranks.draw(draws, max - min + 1);
  }

  private static Whole normal(Spec spec, long min, long max, int scale) {
    double unit = Math.pow(10, -scale);
    double range = ((double) max - min) * unit;
    double middle = (min + ((double) max - min) / 2) * unit;
    boolean sound = spec.sound();
    double all = Double.MAX_VALUE;
    double mean = spec.number("mean", middle, -all, all);
    double deviation = spec.number("deviation", range / DEVIATIONS, -all, all);
    if (sound && range == 0) {
      spec.problem(DISTRIBUTION, "normal requires max to be above min");
    } else if (sound && (mean < min * unit || mean > max * unit)) {
      spec.problem("mean", mean + " is not between min and max");
    } else if (sound && !(deviation > 0 && deviation <= range)) {
      spec.problem("deviation", deviation + " is not above 0 and at most max - min");
    }
    Normal normal = new Normal(min, max, mean / unit, deviation / unit);
    return normal::draw;
  }

  /** The first of n is drawn most often. */
  static KeyDistribution zipfian(Spec spec) {
    return KeyDistribution.zipfian(exponent(spec));
  }

  private static double exponent(Spec spec) {
    return spec.number("exponent", DEFAULT_EXPONENT, LEAST_EXPONENT, MOST_EXPONENT);
  }

  /** The distributions of the positions in a list. */
  static KeyDistribution ranks(Spec spec) {
    String distribution = spec.choice(DISTRIBUTION, UNIFORM, List.of(UNIFORM, ZIPFIAN));
    // An option may choose the distribution, so the exponent is allowed with either.
    double exponent = exponent(spec);
    return distribution.equals(ZIPFIAN)
        ? KeyDistribution.zipfian(exponent)
        : KeyDistribution.uniform();
  }

  /**
   * Whole numbers of a normal distribution (Box-Muller), cut off at both ends: a number outside is
   * drawn again. Equal on every machine, because {@link StrictMath} is.
   *
   * @param mean of the distribution before it is cut; from {@code min} to {@code max}
   * @param deviation the standard deviation before; above 0, at most {@code max - min}
   */
  private record Normal(long min, long max, double mean, double deviation) {
    /**
     * With the bounds above, a draw is outside with a probability of at most 2/3: practically never
     * all of them.
     */
    private static final int MOST_DRAWS = 100;

    /** The next number of the distribution. */
    long draw(Draws draws) {
      for (int i = 0; i < MOST_DRAWS; i++) {
        // 1 - u is never 0, whose logarithm is not finite.
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - draws.nextDouble()));
        double angle = 2 * Math.PI * draws.nextDouble();
        double value = Math.rint(mean + deviation * radius * StrictMath.cos(angle));
        if (value >= min && value <= max) {
          return (long) value;
        }
      }
      return Math.round(mean);
    }
  }
}
