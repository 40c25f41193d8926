package io.shardload.driver.postgresql.statements.types;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Arrays in the server's text form ("Array Input and Output Syntax" of its documentation), such as
 * {@code {go,"a b",NULL}}.
 */
final class ArrayText {
  private ArrayText() {}

  /** A list as the server reads it, whatever the type of the array's elements. */
  static String of(JsonArray list) {
    StringBuilder text = new StringBuilder("{");
    for (JsonElement one : list) {
      text.append(text.length() > 1 ? "," : "");
      if (one.isJsonNull()) {
        text.append("NULL");
      } else if (one instanceof JsonArray inner) {
        text.append(of(inner));
      } else {
        String value = one.isJsonPrimitive() ? one.getAsString() : one.toString();
        text.append('"').append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      }
    }
    return text.append('}').toString();
  }

  /** A text of the server as a list, whose values are texts. */
  static JsonArray read(String text) {
    // Bounds that do not begin at 1 come first, as in [0:1]={a,b}.
    int at = text.startsWith("[") ? text.indexOf('=') + 1 : 0;
    Deque<JsonArray> open = new ArrayDeque<>();
    open.push(new JsonArray());
    while (at < text.length()) {
      char first = text.charAt(at);
      if (first == '{') {
        JsonArray inner = new JsonArray();
        open.getFirst().add(inner);
        open.push(inner);
        at++;
      } else if (first == '}') {
        open.pop();
        at++;
      } else if (first == ',') {
        at++;
      } else {
        at = value(text, at, open.getFirst());
      }
    }
    return open.getLast().get(0).getAsJsonArray();
  }

  /** Adds the value that begins here, and returns where it ends. */
  private static int value(String text, int begin, JsonArray list) {
    boolean quoted = text.charAt(begin) == '"';
    StringBuilder value = new StringBuilder();
    int at = quoted ? begin + 1 : begin;
    while (quoted ? text.charAt(at) != '"' : ",}".indexOf(text.charAt(at)) < 0) {
      at += text.charAt(at) == '\\' ? 1 : 0;
      value.append(text.charAt(at++));
    }
    boolean isNull = !quoted && value.toString().equals("NULL");
    list.add(isNull ? JsonNull.INSTANCE : new JsonPrimitive(value.toString()));
    return quoted ? at + 1 : at;
  }

  /** Whether an array that was read holds what it would hold if the list were stored in it. */
  static boolean holds(JsonArray read, JsonArray list) {
    if (read.size() != list.size()) {
      return false;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!holds(read.get(i), list.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether an array in the server's text form has a value. */
  static boolean contains(String text, JsonElement value) {
    return read(text).asList().stream().anyMatch(one -> holds(one, value));
  }

  private static boolean holds(JsonElement read, JsonElement value) {
    if (read instanceof JsonArray array && value instanceof JsonArray list) {
      return holds(array, list);
    }
    if (!(read instanceof JsonPrimitive text) || !(value instanceof JsonPrimitive wanted)) {
      return read.equals(value);
    }
    if (wanted.isBoolean()) {
      return text.getAsString().equals(wanted.getAsBoolean() ? "t" : "f");
    }
    return wanted.isNumber()
        ? isNumber(text.getAsString(), wanted.getAsBigDecimal())
        : text.getAsString().equals(wanted.getAsString());
  }

  /** Whether the server's text is this number; NaN and words are not. */
  private static boolean isNumber(String text, BigDecimal number) {
    try {
      return new BigDecimal(text).compareTo(number) == 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
