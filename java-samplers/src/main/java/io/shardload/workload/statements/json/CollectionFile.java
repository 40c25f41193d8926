package io.shardload.workload.statements.json;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a schema of MongoDB: {@code {"collections": [{"name": .., "indexes": [{"name": .., "key":
 * {..}, "unique": true}], "shard-key": {..}, "unique-shard-key": false}]}}.
 */
public final class CollectionFile {
  private static final String NAME = "name";
  private static final String INDEXES = "indexes";
  private static final Set<String> OF_FILE = Set.of("collections");
  private static final Set<String> OF_COLLECTION =
      Set.of(NAME, INDEXES, "shard-key", "unique-shard-key");
  private static final Set<String> OF_INDEX = Set.of(NAME, "key", "unique");

  private final JsonText text;
  private final Consumer<Problem> problems;

  private CollectionFile(JsonText text, Consumer<Problem> problems) {
    this.text = text;
    this.problems = problems;
  }

  /**
   * Reads the collections.
   *
   * @return a statement with the verb {@code create} for each
   */
  public static List<CommandStatement> read(String file, String json, Consumer<Problem> problems) {
    try {
      JsonText text = JsonText.read(file, json);
      return new CollectionFile(text, problems).collections(text.root());
    } catch (JsonText.SyntaxException e) {
      problems.accept(new Problem(e.place(), e.getMessage()));
      return List.of();
    }
  }

  private List<CommandStatement> collections(JsonElement root) {
    if (!root.isJsonObject() || !isList(root.getAsJsonObject(), "collections")) {
      wrong(root, "a schema is an object with the list \"collections\"");
      return List.of();
    }
    known(root.getAsJsonObject(), OF_FILE);
    List<CommandStatement> made = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonElement collection : root.getAsJsonObject().getAsJsonArray("collections")) {
      if (!collection.isJsonObject() || !isText(collection.getAsJsonObject(), NAME)) {
        wrong(root, "a collection is an object with a \"name\"");
        continue;
      }
      JsonObject object = collection.getAsJsonObject();
      String name = object.get(NAME).getAsString();
      known(object, OF_COLLECTION);
      indexes(object);
      if (!names.add(name)) {
        wrong(object, "the collection \"" + name + "\" stands twice");
      }
      made.add(new CommandStatement(text.place(object), "create", name, object, List.of(), true));
    }
    if (made.isEmpty()) {
      wrong(root, "there is no collection");
    }
    return made;
  }

  private void indexes(JsonObject collection) {
    if (collection.has(INDEXES) && !isList(collection, INDEXES)) {
      wrong(collection, "\"indexes\" has to be a list");
      return;
    }
    if (collection.has("shard-key") && !collection.get("shard-key").isJsonObject()) {
      wrong(collection, "\"shard-key\" is an object such as {\"customer\": \"hashed\"}");
    }
    if (!collection.has(INDEXES)) {
      return;
    }
    for (JsonElement index : collection.getAsJsonArray(INDEXES)) {
      boolean whole =
          index.isJsonObject()
              && index.getAsJsonObject().has("key")
              && index.getAsJsonObject().get("key").isJsonObject();
      if (whole) {
        known(index.getAsJsonObject(), OF_INDEX);
      } else {
        wrong(collection, "an index is an object with a \"key\" such as {\"customer\": 1}");
      }
    }
  }

  private void known(JsonObject object, Set<String> known) {
    for (String key : object.keySet()) {
      if (!known.contains(key)) {
        wrong(object, ConfigException.unknown("", "key", key, known).getMessage());
      }
    }
  }

  private static boolean isList(JsonObject object, String key) {
    return object.has(key) && object.get(key).isJsonArray();
  }

  private static boolean isText(JsonObject object, String key) {
    return object.has(key)
        && object.get(key).isJsonPrimitive()
        && object.getAsJsonPrimitive(key).isString();
  }

  private void wrong(JsonElement element, String message) {
    problems.accept(new Problem(text.place(element), message));
  }
}
