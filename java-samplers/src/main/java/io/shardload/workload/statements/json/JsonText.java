package io.shardload.workload.statements.json;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.shardload.workload.statements.port.Place;
import java.io.IOException;
import java.io.StringReader;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file of strict JSON, of which every object knows its line. Refuses a key that stands twice. */
final class JsonText {
  /** What is wrong, and where. */
  static final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Place place;

    SyntaxException(Place place, String message) {
      super(message);
      this.place = place;
    }

    Place place() {
      return place;
    }
  }

  private static final Pattern LINE = Pattern.compile("at line (\\d+) column");
  private static final TypeAdapter<JsonElement> SINGLE = new Gson().getAdapter(JsonElement.class);

  private final String file;
  private final Map<JsonElement, Integer> lines = new IdentityHashMap<>();
  private JsonElement root;

  private JsonText(String file) {
    this.file = file;
  }

  static JsonText read(String file, String text) throws SyntaxException {
    JsonText json = new JsonText(file);
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    try {
      json.root = json.element(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw json.wrong(reader, "something follows the end");
      }
    } catch (MalformedJsonException | IllegalStateException | JsonParseException e) {
      throw json.wrong(reader, "is no strict JSON: " + reason(e));
    } catch (IOException e) {
      throw json.wrong(reader, text.isBlank() ? "there is no statement" : "ends too early");
    }
    return json;
  }

  JsonElement root() {
    return root;
  }

  /** Where an object or array of this file begins. */
  Place place(JsonElement element) {
    return new Place(file, lines.getOrDefault(element, 1));
  }

  private JsonElement element(JsonReader reader) throws IOException, SyntaxException {
    int line = line(reader);
    JsonElement read =
        switch (reader.peek()) {
          case BEGIN_OBJECT -> object(reader);
          case BEGIN_ARRAY -> array(reader);
          default -> SINGLE.read(reader);
        };
    if (!read.isJsonPrimitive() && !read.isJsonNull()) {
      lines.put(read, line);
    }
    return read;
  }

  private JsonObject object(JsonReader reader) throws IOException, SyntaxException {
    JsonObject object = new JsonObject();
    reader.beginObject();
    while (reader.hasNext()) {
      String key = reader.nextName();
      if (object.has(key)) {
        throw wrong(reader, "the key \"" + key + "\" stands twice");
      }
      object.add(key, element(reader));
    }
    reader.endObject();
    return object;
  }

  private JsonArray array(JsonReader reader) throws IOException, SyntaxException {
    JsonArray array = new JsonArray();
    reader.beginArray();
    while (reader.hasNext()) {
      array.add(element(reader));
    }
    reader.endArray();
    return array;
  }

  private SyntaxException wrong(JsonReader reader, String message) {
    return new SyntaxException(new Place(file, line(reader)), message);
  }

  /** The reader tells its line nowhere else. */
  private static int line(JsonReader reader) {
    Matcher line = LINE.matcher(reader.toString());
    return line.find() ? Integer.parseInt(line.group(1)) : 1;
  }

  /** Without the advice for programmers and the place, which the message has already. */
  private static String reason(Exception e) {
    String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return first
        .replaceFirst("^Use JsonReader\\.setStrictness.* to accept malformed JSON", "malformed")
        .replaceFirst(" at line \\d+ column \\d+ path .*$", "");
  }
}
