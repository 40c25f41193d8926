package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;
import io.shardload.workload.statements.port.Values;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Values that depend on others of the same row or call: the type {@code copy}, the key {@code not}.
 */
final class Siblings {
  private static final String OF = "of";
  private static final String TIMES = "times";
  private static final String NOT = "not";
  private static final long MOST_TIMES = 1_000_000_000;

  /** A value that differs from another one is drawn in at most so many draws. */
  private static final int MOST_DRAWS = 10_000;

  private Siblings() {}

  /** Another column of the same row, or another parameter of the same call. */
  sealed interface Sibling {
    ValueType type();

    Object value(Occasion occasion);

    default boolean dated() {
      return false;
    }

    default Stream<String> needs() {
      return Stream.of();
    }
  }

  record OfRow(Column column) implements Sibling {
    @Override
    public ValueType type() {
      return column.values().type();
    }

    /** With draws of its own, so that those of the reading column go on. */
    @Override
    public Object value(Occasion occasion) {
      return column.at(new Draws(), occasion);
    }

    @Override
    public boolean dated() {
      return column.values().dated();
    }
  }

  /**
   * A parameter of the call, or a field of its object.
   *
   * @param path names of the field and of those in it; empty for the whole value
   */
  record OfCall(String name, List<String> path, ValueType type) implements Sibling {
    @Override
    public Object value(Occasion occasion) {
      Object value = occasion.call().apply(name);
      return path.isEmpty() || value == null
          ? value
          : Composites.at((JsonElement) value, path, type);
    }

    @Override
    public Stream<String> needs() {
      return Stream.of(name);
    }
  }

  /** Finds what the key of a parameter or column names. */
  interface Lookup {
    /** Empty if there is no such sibling, or if it has a problem, which is recorded. */
    Optional<Sibling> find(Spec spec, String key);
  }

  /** Another value, or a multiple of it. */
  record Copy(Sibling sibling, long times) implements Parameter {
    @Override
    public ValueType type() {
      return sibling.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      Object value = sibling.value(occasion);
      if (times == 1 || value == null) {
        return value;
      }
      return value instanceof BigDecimal decimal
          ? decimal.multiply(BigDecimal.valueOf(times))
          : (Object) Math.multiplyExact(((Number) value).longValue(), times);
    }

    @Override
    public boolean dated() {
      return sibling.dated();
    }

    @Override
    public Stream<String> needs() {
      return sibling.needs();
    }
  }

  /** Values that differ from another one. */
  private record Other(Parameter of, Sibling sibling) implements Parameter {
    @Override
    public ValueType type() {
      return of.type();
    }

    @Override
    public List<Parameter> parts() {
      return List.of(of);
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      Object excluded = sibling.value(occasion);
      for (int i = 0; i < MOST_DRAWS; i++) {
        Object value = of.draw(draws, occasion);
        if (!Values.same(value, excluded)) {
          return value;
        }
      }
      throw new IllegalStateException(
          "%d draws had no value other than %s".formatted(MOST_DRAWS, excluded));
    }

    @Override
    public Stream<String> needs() {
      return Stream.concat(of.needs(), sibling.needs());
    }
  }

  static Optional<Parameter> copy(Spec spec, Lookup lookup) {
    long times = spec.integer(TIMES, 1, -MOST_TIMES, MOST_TIMES);
    Optional<Sibling> sibling =
        spec.requires(OF) ? lookup.find(spec, OF) : Optional.<Sibling>empty();
    if (sibling.isPresent() && spec.has(TIMES) && !isNumber(sibling.get().type())) {
      spec.problem(
          TIMES,
          "is allowed only for numbers, but %s is %s"
              .formatted(spec.text(OF, ""), sibling.get().type().label()));
    }
    return sibling.map(one -> new Copy(one, times));
  }

  private static boolean isNumber(ValueType type) {
    return type == ValueType.INTEGER || type == ValueType.DECIMAL;
  }

  /** The same values without the one that {@code not} names, if it is set. */
  static Optional<Parameter> without(Spec spec, Lookup lookup, Parameter of) {
    if (of instanceof References.InTurn && spec.has(NOT)) {
      spec.problem(NOT, "cannot be set together with distribution: in-turn");
      return Optional.empty();
    }
    return spec.has(NOT)
        ? lookup.find(spec, NOT).map(sibling -> new Other(of, sibling))
        : Optional.of(of);
  }
}
