package io.shardload.bundle;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.Map;
import java.util.Set;

/**
 * What readers take for granted in the small files of a bundle, which may come from anywhere. Any
 * other key may hold anything: its readers take a default for what they do not expect.
 */
final class Shape {
  /** By file. A star stands for each key of an object; a list has one entry for all of its own. */
  private static final JsonElement EXPECTED =
      JsonParser.parseString(
          """
          {"run.json": {"criteria": [{"subject": "a subject", "condition": "a condition"}],
             "faults": [{}],
             "hosts": {"list": ["a text"]},
             "load": {"generators": "a number of generators from 1 to 10000", "segments": [{}]},
             "mix": {"*": "a percentage"}, "schedule_hash": "a text", "server_hosts": [{}]},
           "environment.json": {"server": {"machines": [{}], "moves": [{}], "placement": [{}]}},
           "outcome.json": {"criteria": [{}], "generators": [{"exit_code": "a whole number"}],
             "losses": [{}], "lost_generators": ["a whole number"], "notes": ["a text"]},
           "verification.json": {"checks": [{}],
             "lost_writes": {"at_ns": [["a whole number of nanoseconds or writes"]]}},
           "evidence.json": {}, "summary.json": {}}
          """);

  /** A single value in words, and how JSON writes it. */
  private static final Map<String, String> VALUES =
      Map.of(
          "a subject",
              "\"(hits|succ|refused|fail|avg-rt|stdev-rt|concurrency|p\\d+(\\.\\d+)?|rc.*)\"",
          "a condition", "\"([<>]=?|==?)\"",
          "a text", "(?s)\".*\"",
          "a whole number", "-?\\d{1,9}",
          "a whole number of nanoseconds or writes", "-?\\d{1,18}",
          "a number of generators from 1 to 10000", "[1-9]\\d{0,3}|10000",
          // A user's own JMeter writes it as text. No sum has room for 1e-999999999.
          "a percentage", "\"?\\d{1,3}(\\.\\d{1,20})?([eE][+-]?\\d{1,2})?\"?");

  private static final Set<String> REQUIRED = Set.of("subject", "condition");

  private Shape() {}

  /**
   * What is wrong in a file, {@code run.json: criteria.3 is not an object}; empty if nothing is.
   */
  static String wrong(String file, JsonElement content) {
    return wrong(file, content, EXPECTED.getAsJsonObject().get(file));
  }

  private static String wrong(String path, JsonElement value, JsonElement expected) {
    String found = "";
    if (expected instanceof JsonArray entries && value instanceof JsonArray list) {
      for (int i = 0; found.isEmpty() && i < list.size(); i++) {
        found = wrong(path + "." + i, list.get(i), entries.get(0));
      }
    } else if (expected instanceof JsonObject members && value instanceof JsonObject object) {
      boolean each = members.has("*");
      for (String key : each ? object.keySet() : members.keySet()) {
        JsonElement member = object.has(key) ? object.get(key) : JsonNull.INSTANCE;
        if (found.isEmpty() && (!member.isJsonNull() || REQUIRED.contains(key))) {
          String at = path + (path.contains(": ") ? "." : ": ") + key;
          found = wrong(at, member, members.get(each ? "*" : key));
        }
      }
    } else if (!expected.isJsonPrimitive()) {
      found = path + " is not " + (expected.isJsonArray() ? "a list" : "an object");
    } else if (!value.toString().matches(VALUES.get(expected.getAsString()))) {
      found = "%s: %s is not %s".formatted(path, value, expected.getAsString());
    }
    return found;
  }
}
