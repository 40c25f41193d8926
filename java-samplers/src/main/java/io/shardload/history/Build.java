package io.shardload.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The build of a CI system in which a run was made, from build.json in the folder of the run. Every
 * field may be empty.
 *
 * @param system {@code jenkins}, {@code github} or {@code gitlab}
 * @param url a web address; anything else is not shown as a link
 */
record Build(String system, String number, String url) {
  static final Build NONE = new Build("", "", "");

  private static final String FILE = "build.json";
  private static final Pattern WEB = Pattern.compile("https?://[^\\s\"'<>]+");

  /** The file is optional. */
  static Build read(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return NONE;
    }
    try {
      JsonElement element = JsonParser.parseString(Files.readString(file));
      JsonObject json = element.isJsonObject() ? element.getAsJsonObject() : new JsonObject();
      String url = Json.text(json, "url", "");
      return new Build(
          Json.text(json, "system", ""),
          Json.text(json, "number", ""),
          WEB.matcher(url).matches() ? url : "");
    } catch (JsonParseException e) {
      throw new IOException(FILE + " cannot be read", e);
    }
  }

  JsonElement toJson() {
    if (system.isEmpty() && number.isEmpty() && url.isEmpty()) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.addProperty("system", system);
    json.addProperty("number", number);
    json.addProperty("url", url);
    return json;
  }
}
