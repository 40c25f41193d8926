package io.shardload.workload.statements;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.shardload.config.Options;
import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.TableRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** The draft of document-store as a folder, beside the tests of Python. */
public final class DraftFolder {
  public static final Path PATH = Path.of("../taurus/tests/e2e/document-store");

  private DraftFolder() {}

  /**
   * Its model.
   *
   * @param chosen values of options
   */
  public static StatementsModel model(
      String system, long seed, long documents, Map<String, ?> chosen) {
    JsonObject root = root(chosen, documents);
    Options work = new Options("", root).section("workload");
    return (StatementsModel)
        StatementsWorkload.read(new Options("", root), work, List.of(system), false)
            .model(seed, work.section("data"));
  }

  /** With the value of each option under its key. */
  private static JsonObject root(Map<String, ?> chosen, long documents) {
    JsonObject work = read().getAsJsonObject("workload");
    work.addProperty("folder", PATH.toAbsolutePath().normalize().toString());
    JsonObject data = work.getAsJsonObject("data");
    data.addProperty("documents", documents);
    JsonObject root = new JsonObject();
    root.add("workload", work);
    root.add("schema", new JsonObject());
    JsonObject options = work.getAsJsonObject("options");
    chosen.forEach(
        (name, value) -> {
          JsonObject option = options.getAsJsonObject(name);
          String key = option.get("key").getAsString();
          boolean bytes = option.has("unit") && value instanceof Integer;
          (key.startsWith("schema.") ? root.getAsJsonObject("schema") : data)
              .addProperty(key.substring(key.lastIndexOf('.') + 1), value + (bytes ? "B" : ""));
        });
    return root;
  }

  /** Reads it with more keys of {@code workload.data}. */
  static void read(Options data) {
    JsonObject root = root(Map.of(), 1);
    Options work = new Options("", root).section("workload");
    data.keys()
        .forEach(key -> data.copy(key, root.getAsJsonObject("workload").getAsJsonObject("data")));
    StatementsWorkload.read(new Options("", root), work, List.of("postgresql"), false)
        .model(1, work.section("data"));
  }

  public static Entity entity(StatementsModel model) {
    return model.entity().orElseThrow();
  }

  /** All columns, as a load writes them. */
  public static TableRows rows(StatementsModel model) {
    return entity(model).stored();
  }

  /** The statements that make its tables. */
  public static List<Statement> schema(String system, Map<String, ?> chosen) {
    Options root = new Options("", root(chosen, 100_000));
    Switches switches = Switches.read(root, root.section("workload"), List.of(system));
    return Folder.read(PATH, List.of(system), switches).schema(system);
  }

  /** As much YAML as the file has: nested keys, and on a line what Gson reads. */
  private static JsonObject read() {
    JsonObject root = new JsonObject();
    Deque<JsonObject> open = new ArrayDeque<>(List.of(root));
    for (String line : lines()) {
      String text = line.strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      int depth = line.indexOf(text) / 2;
      while (open.size() > depth + 1) {
        open.pop();
      }
      String[] parts = text.split(":", 2);
      JsonElement value =
          parts[1].isBlank() ? new JsonObject() : JsonParser.parseString(quoted(parts[1]));
      open.peek().add(parts[0], value);
      if (value instanceof JsonObject section && parts[1].isBlank()) {
        open.push(section);
      }
    }
    return root;
  }

  /** A single word may have characters that Gson takes for something else. */
  private static String quoted(String value) {
    String text = value.strip();
    return text.matches("[$\\w.-]+") ? new JsonPrimitive(text).toString() : text;
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(PATH.resolve("workload.yml"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
