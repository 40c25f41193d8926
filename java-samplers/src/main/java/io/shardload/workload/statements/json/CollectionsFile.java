package io.shardload.workload.statements.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a schema in JSON: {@code {"collections": [{"name": "orders", "indexes": [{"name":
 * "by_city", "key": {"city": 1}, "unique": false}], "shard-key": {"city": "hashed"},
 * "unique-shard-key": false}]}}. {@code name} is required, and so are {@code name} and {@code key}
 * of an index.
 */
public final class CollectionsFile {
  private static final String COLLECTIONS = "collections";
  private static final List<String> FIELDS =
      List.of("name", "indexes", "shard-key", "unique-shard-key");
  private static final List<String> INDEX = List.of("name", "key", "unique");

  private CollectionsFile() {}

  /** A statement with the verb {@code create} for each collection: its object unchanged. */
  public static List<CommandStatement> parse(String file, String text, Consumer<Problem> problems) {
    JsonText json;
    try {
      json = JsonText.parse(text);
    } catch (JsonText.Malformed e) {
      problems.accept(new Problem(new Place(file, e.line()), e.getMessage()));
      return List.of();
    }
    Checker checker = new Checker(file, json, problems);
    if (!(json.root() instanceof JsonObject root)) {
      checker.problem(json.root(), "a schema must be an object with \"collections\"");
      return List.of();
    }
    checker.fields("the schema", root, List.of(COLLECTIONS));
    if (!(root.get(COLLECTIONS) instanceof JsonArray array)
        || array.isEmpty()
        || !Checker.objects(array)) {
      checker.problem(root, COLLECTIONS, "\"collections\" must be a list of objects");
      return List.of();
    }
    List<CommandStatement> statements = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonElement one : array) {
      statement(checker, one.getAsJsonObject(), names, statements);
    }
    return List.copyOf(statements);
  }

  private static void statement(
      Checker checker, JsonObject collection, Set<String> names, List<CommandStatement> all) {
    checker.fields("a collection", collection, FIELDS);
    parameterless(checker, collection);
    name(checker, "collection", collection, names);
    if (collection.get("shard-key") instanceof JsonObject key && key.isEmpty()) {
      checker.problem(collection, "shard-key", "\"shard-key\" is empty");
    }
    if (collection.has("unique-shard-key") && !collection.has("shard-key")) {
      checker.problem(
          collection, "unique-shard-key", "\"unique-shard-key\" requires \"shard-key\"");
    }
    if (collection.get("indexes") instanceof JsonArray indexes && Checker.objects(indexes)) {
      Set<String> indexNames = new HashSet<>();
      for (JsonElement index : indexes) {
        index(checker, index.getAsJsonObject(), indexNames);
      }
    }
    if (Checker.isText(collection.get("name"))) {
      all.add(
          new CommandStatement(
              checker.place(collection),
              "create",
              collection.get("name").getAsString(),
              collection,
              List.of(),
              true));
    }
  }

  private static void index(Checker checker, JsonObject index, Set<String> names) {
    checker.fields("an index", index, INDEX);
    name(checker, "index", index, names);
    if (!(index.get("key") instanceof JsonObject key) || key.isEmpty()) {
      checker.problem(index, "key", "an index must have a \"key\" with fields");
    }
  }

  private static void name(Checker checker, String what, JsonObject of, Set<String> names) {
    if (!of.has("name")) {
      checker.problem(of, "the " + what + " has no \"name\"");
    } else if (Checker.isText(of.get("name")) && !names.add(of.get("name").getAsString())) {
      checker.problem(of, "name", "two objects have the name " + of.get("name"));
    }
  }

  private static void parameterless(Checker checker, JsonObject collection) {
    List<String> found = new ArrayList<>();
    checker.parameters(collection, found);
    found.stream()
        .distinct()
        .forEach(name -> checker.problem(collection, "a schema must not have parameters: " + name));
  }
}
