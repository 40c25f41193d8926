package io.shardload.bundle.json;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collection;
import java.util.function.Function;

/** Reading JSON that may have gaps: an absent key and a null are the same, the default. */
public final class Json {
  /** Nulls are written: an absent percentile is a statement, not an omission. */
  public static final Gson PRETTY =
      new GsonBuilder().serializeNulls().setPrettyPrinting().disableHtmlEscaping().create();

  /**
   * One line, with {@code <}, {@code >} and {@code &} escaped, so that it can be embedded in HTML.
   */
  public static final Gson FOR_HTML = new GsonBuilder().serializeNulls().create();

  private Json() {}

  /** The object at a dotted path, or an empty one. */
  public static JsonObject object(JsonObject from, String... path) {
    JsonObject at = from;
    for (String key : path) {
      JsonElement next = at == null ? null : at.get(key);
      at = next != null && next.isJsonObject() ? next.getAsJsonObject() : null;
    }
    return at == null ? new JsonObject() : at;
  }

  public static JsonArray array(JsonObject from, String key) {
    JsonElement element = from == null ? null : from.get(key);
    return element != null && element.isJsonArray() ? element.getAsJsonArray() : new JsonArray();
  }

  public static String text(JsonObject from, String key, String otherwise) {
    JsonElement element = from == null ? null : from.get(key);
    return element != null && element.isJsonPrimitive() ? element.getAsString() : otherwise;
  }

  public static double number(JsonObject from, String key, double otherwise) {
    JsonElement element = from == null ? null : from.get(key);
    return isNumber(element) ? element.getAsDouble() : otherwise;
  }

  public static long integer(JsonObject from, String key, long otherwise) {
    JsonElement element = from == null ? null : from.get(key);
    return isNumber(element) ? element.getAsLong() : otherwise;
  }

  public static boolean flag(JsonObject from, String key) {
    JsonElement element = from == null ? null : from.get(key);
    return element != null && element.isJsonPrimitive() && element.getAsBoolean();
  }

  /** A number, or null where it is not finite. */
  public static JsonElement finite(double value) {
    return Double.isFinite(value) ? new JsonPrimitive(value) : JsonNull.INSTANCE;
  }

  /** A finite number rounded to three decimals: rates and percentages, not measurements. */
  public static JsonElement rounded(double value) {
    return finite(Math.round(value * 1000.0) / 1000.0, value);
  }

  /** A finite number rounded to so many significant digits, or null. */
  public static JsonElement significant(double value, int digits) {
    return Double.isFinite(value)
        ? new JsonPrimitive(new BigDecimal(value).round(new MathContext(digits)).doubleValue())
        : JsonNull.INSTANCE;
  }

  public static JsonElement orNull(Long value) {
    return value == null ? JsonNull.INSTANCE : new JsonPrimitive(value);
  }

  public static JsonArray strings(Collection<String> values) {
    JsonArray array = new JsonArray();
    values.forEach(array::add);
    return array;
  }

  /** What a function makes of each value. */
  public static <T> JsonArray each(
      Collection<T> values, Function<? super T, ? extends JsonElement> toJson) {
    JsonArray array = new JsonArray();
    values.forEach(value -> array.add(toJson.apply(value)));
    return array;
  }

  private static JsonElement finite(double rounded, double value) {
    return Double.isFinite(value) ? new JsonPrimitive(rounded) : JsonNull.INSTANCE;
  }

  private static boolean isNumber(JsonElement element) {
    return element != null && element.isJsonPrimitive() && element.getAsJsonPrimitive().isNumber();
  }
}
