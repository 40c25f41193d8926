package io.shardload.parity;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Values of any system as texts that are equal if the values are. Texts are in quotes, so that a
 * number and its digits differ; numbers are compared by value, whatever their scale or the sign of
 * zero; NULL and what is missing are the same, an empty list is neither.
 */
final class Canonical {
  static final String NULL = "NULL";

  private Canonical() {}

  /**
   * A row whose lists are followed as a join would: one row for each element, and one with NULL for
   * an empty list.
   *
   * @param columns by their names
   * @param paths of the values, beginning with a column, by the names that they get
   */
  static List<Map<String, String>> rows(Map<String, Object> columns, Map<String, String> paths) {
    return follow(columns, paths);
  }

  private static List<Map<String, String>> follow(Object value, Map<String, String> paths) {
    Map<String, Map<String, String>> deeper = new TreeMap<>();
    Map<String, String> row = new LinkedHashMap<>();
    paths.forEach(
        (name, path) -> {
          if (path.isEmpty()) {
            row.put(name, text(value));
          } else {
            String[] steps = path.split("\\.", 2);
            deeper
                .computeIfAbsent(steps[0], unused -> new LinkedHashMap<>())
                .put(name, steps.length == 1 ? "" : steps[1]);
          }
        });
    if (value instanceof JsonArray list && row.isEmpty()) {
      return elements(list, paths);
    }
    List<Map<String, String>> rows = List.of(row);
    for (Map.Entry<String, Map<String, String>> one : deeper.entrySet()) {
      rows = product(rows, follow(field(value, one.getKey()), one.getValue()));
    }
    return rows;
  }

  private static List<Map<String, String>> elements(JsonArray list, Map<String, String> paths) {
    List<Map<String, String>> rows = new ArrayList<>();
    list.forEach(element -> rows.addAll(follow(plain(element), paths)));
    return rows.isEmpty() ? follow(null, paths) : rows;
  }

  private static Object field(Object value, String name) {
    if (value instanceof Map<?, ?> columns) {
      return columns.get(name);
    }
    return value instanceof JsonObject object ? plain(object.get(name)) : null;
  }

  private static List<Map<String, String>> product(
      List<Map<String, String>> rows, List<Map<String, String>> others) {
    List<Map<String, String>> all = new ArrayList<>();
    for (Map<String, String> row : rows) {
      for (Map<String, String> other : others) {
        Map<String, String> both = new LinkedHashMap<>(row);
        both.putAll(other);
        all.add(both);
      }
    }
    return all;
  }

  /** A value as text. */
  static String text(Object value) {
    Object plain = value instanceof JsonElement json ? plain(json) : value;
    if (plain == null) {
      return NULL;
    }
    if (plain instanceof Number number) {
      return number(number);
    }
    if (plain instanceof String text) {
      return '"' + text + '"';
    }
    if (plain instanceof JsonArray list) {
      return list.asList().stream().map(Canonical::text).toList().toString();
    }
    if (plain instanceof JsonObject object) {
      return object.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .map(one -> one.getKey() + ": " + text(one.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    return plain.toString();
  }

  private static String number(Number number) {
    if (number instanceof Double value && !Double.isFinite(value)) {
      return value.toString();
    }
    BigDecimal exact = new BigDecimal(number.toString());
    return exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString();
  }

  /** The value that JSON stands for, also in the extended JSON in which lists of BSON come. */
  private static Object plain(JsonElement json) {
    if (json == null || json instanceof JsonNull) {
      return null;
    }
    if (json instanceof JsonPrimitive one) {
      return one.isBoolean()
          ? (Object) one.getAsBoolean()
          : one.isNumber() ? one.getAsBigDecimal() : one.getAsString();
    }
    if (!(json instanceof JsonObject object) || object.size() != 1) {
      return json;
    }
    try {
      return extended(object);
    } catch (RuntimeException e) {
      // A document of the user may have such a field with something else in it.
      return json;
    }
  }

  private static Object extended(JsonObject json) {
    Map.Entry<String, JsonElement> only = json.entrySet().iterator().next();
    return switch (only.getKey()) {
      case "$date" -> Instant.parse(only.getValue().getAsString());
      case "$numberDecimal" -> new BigDecimal(only.getValue().getAsString());
      case "$numberDouble" -> Double.valueOf(only.getValue().getAsString());
      case "$oid" -> only.getValue().getAsString();
      case "$uuid" -> UUID.fromString(only.getValue().getAsString());
      case "$binary" -> binary(only.getValue().getAsJsonObject());
      default -> json;
    };
  }

  private static Object binary(JsonObject binary) {
    String text = binary.get("base64").getAsString();
    byte[] bytes = Base64.getDecoder().decode(text);
    if (!binary.get("subType").getAsString().equals("04")) {
      return text;
    }
    ByteBuffer both = ByteBuffer.wrap(bytes);
    return new UUID(both.getLong(), both.getLong());
  }
}
