package io.shardload.timeseries;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A JSON document as keys and values: {@code steps.0.name}. Empty objects and lists are left out.
 */
final class Flat {
  private Flat() {}

  static Map<String, JsonElement> of(JsonObject json) {
    Map<String, JsonElement> flat = new LinkedHashMap<>();
    add("", json, flat);
    return flat;
  }

  private static void add(String path, JsonElement value, Map<String, JsonElement> to) {
    String prefix = path.isEmpty() ? "" : path + ".";
    if (value.isJsonObject()) {
      value.getAsJsonObject().entrySet().forEach(e -> add(prefix + e.getKey(), e.getValue(), to));
    } else if (value.isJsonArray()) {
      for (int i = 0; i < value.getAsJsonArray().size(); i++) {
        add(prefix + i, value.getAsJsonArray().get(i), to);
      }
    } else {
      to.put(path, value);
    }
  }
}
