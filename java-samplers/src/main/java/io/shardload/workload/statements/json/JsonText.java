package io.shardload.workload.statements.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text in strict JSON (RFC 8259), with the line of each value. Gson's own reader accepts
 * duplicate keys and does not report lines.
 */
final class JsonText {
  private static final int DEEPEST = 200;
  private static final Pattern SPACE = Pattern.compile("[ \\t\\r\\n]*");
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
  private static final Pattern WORD = Pattern.compile("[\\w$.+-]+");
  private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{4}");

  private final String text;
  private final IdentityHashMap<JsonElement, Integer> lines = new IdentityHashMap<>();
  private final IdentityHashMap<JsonObject, Map<String, Integer>> keyLines =
      new IdentityHashMap<>();
  private int at;
  private int counted;
  private int line = 1;
  private int depth;
  private JsonElement root;

  private JsonText(String text) {
    this.text = text;
  }

  /** A syntax error with its line. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;
    private final int line;

    Malformed(int line, String message) {
      super(message);
      this.line = line;
    }

    int line() {
      return line;
    }
  }

  static JsonText parse(String text) throws Malformed {
    JsonText json = new JsonText(text);
    json.root = json.value();
    json.skip();
    if (json.at < text.length()) {
      throw json.malformed("unexpected text after the value");
    }
    return json;
  }

  JsonElement root() {
    return root;
  }

  /**
   * The line in which a value begins. The value must be an object, an array or a member of an
   * object.
   */
  int line(JsonElement value) {
    return lines.getOrDefault(value, 1);
  }

  int line(JsonObject object, String key) {
    return keyLines.getOrDefault(object, Map.of()).getOrDefault(key, line(object));
  }

  private Malformed malformed(String message) {
    return new Malformed(lineAt(at), message);
  }

  /** Called with increasing positions. */
  private int lineAt(int end) {
    for (; counted < Math.min(end, text.length()); counted++) {
      line += text.charAt(counted) == '\n' ? 1 : 0;
    }
    return line;
  }

  private void skip() {
    Matcher space = SPACE.matcher(text).region(at, text.length());
    if (space.lookingAt()) {
      at = space.end();
    }
  }

  /** The next character that is not white space; 0 at the end. */
  private char peek() {
    skip();
    return at < text.length() ? text.charAt(at) : 0;
  }

  private JsonElement value() throws Malformed {
    char first = peek();
    int begin = lineAt(at);
    JsonElement value =
        switch (first) {
          case '{' -> object();
          case '[' -> array();
          case '"' -> new JsonPrimitive(string());
          default -> word();
        };
    if (value != JsonNull.INSTANCE) {
      lines.put(value, begin);
    }
    return value;
  }

  private JsonObject object() throws Malformed {
    enter();
    JsonObject object = new JsonObject();
    Map<String, Integer> lineByKey = new HashMap<>();
    keyLines.put(object, lineByKey);
    if (peek() != '}') {
      do {
        if (peek() != '"') {
          throw malformed("expected a key in double quotes");
        }
        int line = lineAt(at);
        String key = string();
        if (lineByKey.put(key, line) != null) {
          throw new Malformed(line, "the key \"" + key + "\" occurs twice in its object");
        }
        if (peek() != ':') {
          throw malformed("expected a colon after \"" + key + "\"");
        }
        at++;
        object.add(key, value());
      } while (comma());
    }
    leave('}');
    return object;
  }

  private JsonArray array() throws Malformed {
    enter();
    JsonArray array = new JsonArray();
    if (peek() != ']') {
      do {
        array.add(value());
      } while (comma());
    }
    leave(']');
    return array;
  }

  private void enter() throws Malformed {
    at++;
    if (++depth > DEEPEST) {
      throw malformed("objects and lists are nested deeper than " + DEEPEST);
    }
  }

  private boolean comma() {
    if (peek() != ',') {
      return false;
    }
    at++;
    return true;
  }

  private void leave(char end) throws Malformed {
    if (peek() != end) {
      throw malformed("expected a comma or \"" + end + "\"");
    }
    at++;
    depth--;
  }

  private JsonElement word() throws Malformed {
    Matcher word = WORD.matcher(text).region(at, text.length());
    if (!word.lookingAt()) {
      throw malformed(at == text.length() ? "a value is missing" : wrong(text.charAt(at)));
    }
    String found = word.group();
    JsonElement value =
        switch (found) {
          case "true" -> new JsonPrimitive(true);
          case "false" -> new JsonPrimitive(false);
          case "null" -> JsonNull.INSTANCE;
          default -> {
            if (!NUMBER.matcher(found).matches()) {
              throw malformed("\"" + found + "\" is not a JSON value");
            }
            // Gson keeps the digits unchanged.
            yield JsonParser.parseString(found);
          }
        };
    at = word.end();
    return value;
  }

  private static String wrong(char found) {
    if (found == '/' || found == '#') {
      return "JSON does not support comments";
    }
    return found == '\''
        ? "strings must be in double quotes"
        : "expected a value before \"" + found + "\"";
  }

  private String string() throws Malformed {
    StringBuilder string = new StringBuilder();
    int begin = lineAt(at++);
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at);
      if (c < ' ') {
        throw malformed("a string contains a line end or another control character");
      }
      at++;
      string.append(c == '\\' ? escaped() : c);
    }
    if (at >= text.length()) {
      throw new Malformed(begin, "the string has no closing quote");
    }
    at++;
    return string.toString();
  }

  private char escaped() throws Malformed {
    char c = at < text.length() ? text.charAt(at++) : 0;
    int known = "\"\\/bfnrt".indexOf(c);
    if (known >= 0) {
      return "\"\\/\b\f\n\r\t".charAt(known);
    }
    Matcher hex = HEX.matcher(text).region(Math.min(at, text.length()), text.length());
    if (c != 'u' || !hex.lookingAt()) {
      throw malformed("invalid JSON escape: \\" + c);
    }
    at = hex.end();
    return (char) Integer.parseInt(hex.group(), 16);
  }
}
