package io.shardload.workload.statements.port;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/** Compares values independent of the types of their systems. */
public final class Values {
  private Values() {}

  /** Numbers are compared by value, and null equals only null. */
  public static boolean same(Object one, Object other) {
    if (one instanceof Long a && other instanceof Long b) {
      return a.longValue() == b.longValue();
    }
    if (one instanceof Number a && other instanceof Number b) {
      return sameNumber(a, b);
    }
    if (one instanceof JsonElement a && other instanceof JsonElement b) {
      return sameJson(a, b);
    }
    if (one instanceof List<?> a && other instanceof List<?> b) {
      return sameList(a, b);
    }
    if (one instanceof Map<?, ?> a && other instanceof Map<?, ?> b) {
      return a.keySet().equals(b.keySet())
          && a.entrySet().stream().allMatch(e -> same(e.getValue(), b.get(e.getKey())));
    }
    return Objects.deepEquals(one, other);
  }

  /**
   * The order of two values of one kind: numbers by value, times, texts by code points. Empty for
   * others, and where one is null.
   */
  public static OptionalInt compare(Object one, Object other) {
    if (one instanceof Number a && other instanceof Number b && !special(a) && !special(b)) {
      return OptionalInt.of(decimal(a).compareTo(decimal(b)));
    }
    if (one instanceof Instant a && other instanceof Instant b) {
      return OptionalInt.of(a.compareTo(b));
    }
    return one instanceof String a && other instanceof String b
        ? OptionalInt.of(Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray()))
        : OptionalInt.empty();
  }

  /** A value as JSON has it: instants and uuids as texts. */
  public static JsonElement json(Object value) {
    if (value == null) {
      return JsonNull.INSTANCE;
    }
    if (value instanceof JsonElement element) {
      return element;
    }
    if (value instanceof Number number) {
      return new JsonPrimitive(number);
    }
    return value instanceof Boolean flag
        ? new JsonPrimitive(flag)
        : new JsonPrimitive(value.toString());
  }

  private static boolean sameNumber(Number one, Number other) {
    if (special(one) || special(other)) {
      return one.doubleValue() == other.doubleValue()
          || (Double.isNaN(one.doubleValue()) && Double.isNaN(other.doubleValue()));
    }
    return decimal(one).compareTo(decimal(other)) == 0;
  }

  /** Infinite, or not a number. */
  private static boolean special(Number number) {
    return (number instanceof Double || number instanceof Float)
        && !Double.isFinite(number.doubleValue());
  }

  private static BigDecimal decimal(Number number) {
    if (number instanceof BigDecimal decimal) {
      return decimal;
    }
    if (number instanceof BigInteger integer) {
      return new BigDecimal(integer);
    }
    // The shortest text of a floating-point number is the intended value.
    return new BigDecimal(number.toString());
  }

  private static boolean sameList(List<?> one, List<?> other) {
    if (one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      if (!same(one.get(i), other.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameJson(JsonElement one, JsonElement other) {
    if (one instanceof JsonPrimitive a && other instanceof JsonPrimitive b) {
      boolean numbers = a.isNumber() && b.isNumber();
      return numbers ? sameNumber(a.getAsBigDecimal(), b.getAsBigDecimal()) : a.equals(b);
    }
    if (one instanceof JsonArray a && other instanceof JsonArray b) {
      return sameList(a.asList(), b.asList());
    }
    if (one instanceof JsonObject a && other instanceof JsonObject b) {
      return same(a.asMap(), b.asMap());
    }
    return one.equals(other);
  }
}
