package io.shardload.workload.statements.port;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Whether two values are equal, independent of the types of their systems. */
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
