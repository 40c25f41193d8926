package io.shardload.workload.statements.json;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The commands and their fields that a load may use, from MongoDB's reference of database commands
 * (manual 8.0, "Database Commands"). Not included are fields that the target sets (read and write
 * concern, time limit), and fields that prevent a cursor from being read to its end.
 */
final class Fields {
  /**
   * The required form of a field's value. Except for a list, a flag and a string, a parameter is
   * also allowed.
   */
  enum Shape {
    OBJECT("an object"),
    /** A list of objects. */
    OBJECTS("a list of objects"),
    TEXT("a string"),
    NUMBER("a whole number"),
    FLAG("true or false"),
    ANY("a value");

    private final String words;

    Shape(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  private static final Map<String, Shape> SHAPES = new LinkedHashMap<>();

  static {
    shape(Shape.OBJECT, "filter", "projection", "max", "min", "collation", "let", "cursor", "q");
    shape(Shape.OBJECT, "query", "fields", "sort", "shard-key");
    shape(Shape.OBJECTS, "pipeline", "updates", "deletes", "arrayFilters", "indexes", "zones");
    shape(Shape.NUMBER, "skip", "limit", "batchSize", "initial-chunks");
    shape(Shape.FLAG, "returnKey", "showRecordId", "allowPartialResults", "allowDiskUse");
    shape(Shape.FLAG, "ordered", "bypassDocumentValidation", "upsert", "multi", "remove", "new");
    shape(Shape.FLAG, "unique", "unique-shard-key", "zones-of-schema", "sharded");
    shape(Shape.TEXT, "name");
    // An object or a name; a list of objects or a parameter; an object or a pipeline.
    shape(Shape.ANY, "hint", "comment", "documents", "u", "update", "key");
  }

  private static final List<String> WRITE =
      List.of("ordered", "bypassDocumentValidation", "comment");

  /** Fields by command, without the command's own name. */
  static final Map<String, List<String>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put(
        "find",
        List.of(
            "filter",
            "sort",
            "projection",
            "hint",
            "skip",
            "limit",
            "batchSize",
            "comment",
            "max",
            "min",
            "returnKey",
            "showRecordId",
            "allowPartialResults",
            "collation",
            "allowDiskUse",
            "let"));
    COMMANDS.put(
        "aggregate",
        List.of("pipeline", "cursor", "allowDiskUse", "collation", "hint", "comment", "let"));
    COMMANDS.put("insert", with(WRITE, "documents"));
    COMMANDS.put("update", with(WRITE, "updates", "let"));
    COMMANDS.put("delete", List.of("deletes", "comment", "let", "ordered"));
    COMMANDS.put(
        "findAndModify",
        List.of(
            "query",
            "sort",
            "remove",
            "update",
            "new",
            "fields",
            "upsert",
            "bypassDocumentValidation",
            "collation",
            "arrayFilters",
            "hint",
            "comment",
            "let"));
    COMMANDS.put("count", List.of("query", "limit", "skip", "hint", "collation", "comment"));
    COMMANDS.put("distinct", List.of("key", "query", "collation", "hint", "comment"));
  }

  static final List<String> UPDATES =
      List.of("q", "u", "upsert", "multi", "collation", "arrayFilters", "hint", "sort");
  static final List<String> DELETES = List.of("q", "limit", "collation", "hint");
  static final List<String> CURSOR = List.of("batchSize");

  /** The fields that the server requires for a command. */
  static final Map<String, List<String>> REQUIRED =
      Map.of(
          "aggregate", List.of("pipeline"),
          "insert", List.of("documents"),
          "update", List.of("updates"),
          "delete", List.of("deletes"),
          "distinct", List.of("key"));

  /** Fields of MongoDB's commands that the target file sets instead. */
  static final List<String> OF_THE_TARGET =
      List.of("readConcern", "writeConcern", "maxTimeMS", "$readPreference");

  private Fields() {}

  static Shape shape(String field) {
    return SHAPES.getOrDefault(field, Shape.ANY);
  }

  private static void shape(Shape shape, String... fields) {
    for (String field : fields) {
      SHAPES.put(field, shape);
    }
  }

  private static List<String> with(List<String> some, String... more) {
    return Stream.concat(Arrays.stream(more), some.stream()).toList();
  }
}
