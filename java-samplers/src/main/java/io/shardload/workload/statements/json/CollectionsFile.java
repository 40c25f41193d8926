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
 * "unique-shard-key": false, "initial-chunks": 8, "zones": [{"zone": "eu", "shards": ["rs1"],
 * "from": 1, "to": 9}], "zones-of-schema": false}]}}. {@code name} is required, and so are {@code
 * name} and {@code key} of an index.
 */
public final class CollectionsFile {
  private static final String COLLECTIONS = "collections";
  private static final List<String> FIELDS =
      List.of(
          "name",
          "indexes",
          "shard-key",
          "unique-shard-key",
          "initial-chunks",
          "zones",
          "zones-of-schema");
  private static final List<String> INDEX = List.of("name", "key", "unique", "sharded");
  private static final List<String> ZONE = List.of("zone", "shards", "from", "to");

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
    List<String> options = new ArrayList<>();
    checker.parameters(collection, options);
    name(checker, "collection", collection, names);
    if (collection.get("shard-key") instanceof JsonObject key && key.isEmpty()) {
      checker.problem(collection, "shard-key", "\"shard-key\" is empty");
    }
    for (String key : List.of("unique-shard-key", "initial-chunks", "zones", "zones-of-schema")) {
      if (collection.has(key) && !collection.has("shard-key")) {
        checker.problem(collection, key, "\"%s\" requires \"shard-key\"".formatted(key));
      }
    }
    if (collection.get("zones") instanceof JsonArray zones && Checker.objects(zones)) {
      zones.forEach(zone -> zone(checker, zone.getAsJsonObject(), collection.get("shard-key")));
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
              options,
              true));
    }
  }

  private static void zone(Checker checker, JsonObject zone, JsonElement key) {
    checker.fields("a zone", zone, ZONE);
    boolean isNamed = Checker.isText(zone.get("zone"));
    if (!isNamed
        || !(zone.get("shards") instanceof JsonArray shards)
        || shards.isEmpty()
        || !shards.asList().stream().allMatch(Checker::isText)) {
      checker.problem(zone, "a zone must have the name \"zone\" and a list \"shards\" of names");
    }
    if (key instanceof JsonObject fields
        && fields.asMap().values().stream().anyMatch(Checker::isText)) {
      checker.problem(zone, "zones are ranges, but a hashed shard key scatters the values");
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
}
