package io.shardload.workload.statements.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a file of commands in strict JSON: an object is one statement, a list several, and {@code
 * {"variants": [x, y]}} has one of these per variant. Values are extended JSON (v2), which is kept
 * unchanged, with its order of keys; the driver reads it.
 */
public final class CommandFile {
  private static final String VARIANTS = "variants";

  private CommandFile() {}

  /**
   * The variants of a file, each with its statements. If there is a problem, the result must not be
   * used.
   *
   * @param file its name in messages, relative to the folder
   * @param problems receives the problems
   */
  public static List<List<CommandStatement>> parse(
      String file, String text, Consumer<Problem> problems) {
    JsonText json;
    try {
      json = JsonText.parse(text);
    } catch (JsonText.Malformed e) {
      problems.accept(new Problem(new Place(file, e.line()), e.getMessage()));
      return List.of();
    }
    Checker checker = new Checker(file, json, problems);
    List<List<CommandStatement>> variants = new ArrayList<>();
    for (JsonElement variant : variants(checker, json.root())) {
      variants.add(variant(checker, variant));
    }
    return List.copyOf(variants);
  }

  private static List<JsonElement> variants(Checker checker, JsonElement root) {
    if (!(root instanceof JsonObject object) || !object.has(VARIANTS)) {
      return List.of(root);
    }
    for (String key : object.keySet()) {
      if (!key.equals(VARIANTS)) {
        checker.problem(object, key, "\"" + key + "\" cannot be used together with \"variants\"");
      }
    }
    if (!(object.get(VARIANTS) instanceof JsonArray array) || array.isEmpty()) {
      checker.problem(object, VARIANTS, "\"variants\" must be a list of statements");
      return List.of();
    }
    return array.asList();
  }

  private static List<CommandStatement> variant(Checker checker, JsonElement variant) {
    if (variant instanceof JsonObject object) {
      return Command.read(checker, object).stream().toList();
    }
    if (!(variant instanceof JsonArray array) || !Checker.objects(array)) {
      checker.problem(
          variant, "a statement must be an object; several statements must be a list of objects");
      return List.of();
    }
    if (array.isEmpty()) {
      checker.problem(variant, "the list of statements is empty");
    }
    return array.asList().stream()
        .flatMap(one -> Command.read(checker, one.getAsJsonObject()).stream())
        .toList();
  }

  /** One command document: which command it is, and whether its fields are allowed. */
  private record Command(Checker checker, JsonObject command) {
    private static final Set<String> WRITING =
        Set.of("insert", "update", "delete", "findAndModify");

    private static final Set<String> WRITING_STAGES = Set.of("$out", "$merge");

    private static final String ENDLESS_STAGE = "$changeStream";

    /** The statement of an object; empty if it is not a command. */
    static Optional<CommandStatement> read(Checker checker, JsonObject object) {
      return new Command(checker, object).read();
    }

    private Optional<CommandStatement> read() {
      if (command.isEmpty()) {
        checker.problem(command, "the statement is empty");
        return Optional.empty();
      }
      String verb = command.keySet().iterator().next();
      if (!Fields.COMMANDS.containsKey(verb)) {
        checker.problem(command, verb, Checker.unknown("command", verb, Fields.COMMANDS.keySet()));
        return Optional.empty();
      }
      JsonElement collection = command.get(verb);
      if (!Checker.isText(collection)) {
        checker.problem(command, verb, "\"" + verb + "\" must name a collection");
        return Optional.empty();
      }
      List<String> known = new ArrayList<>(Fields.COMMANDS.get(verb));
      known.add(verb);
      checker.fields(verb, command, known);
      for (String required : Fields.REQUIRED.getOrDefault(verb, List.of())) {
        if (!command.has(required)) {
          checker.problem(command, verb, "%s has no \"%s\"".formatted(verb, required));
        }
      }
      parts(verb);
      List<String> names = new ArrayList<>();
      checker.parameters(command, names);
      return Optional.of(
          new CommandStatement(
              checker.place(command),
              verb,
              collection.getAsString(),
              command,
              names,
              WRITING.contains(verb)));
    }

    private void parts(String verb) {
      switch (verb) {
        case "aggregate" -> {
          objects("pipeline").forEach(this::stage);
          if (command.get("cursor") instanceof JsonObject cursor) {
            checker.fields("cursor", cursor, Fields.CURSOR);
          }
        }
        case "insert" -> documents();
        case "update" -> {
          notEmpty("updates");
          objects("updates").forEach(one -> entry("updates", one, Fields.UPDATES, "u"));
        }
        case "delete" -> {
          notEmpty("deletes");
          objects("deletes").forEach(one -> entry("deletes", one, Fields.DELETES, "limit"));
        }
        case "findAndModify" -> {
          boolean removes = flag("remove");
          if (removes == command.has("update")) {
            checker.problem(
                command, verb, "findAndModify must have either \"update\" or \"remove\": true");
          }
        }
        case "distinct" -> {
          if (command.has("key") && !Checker.isText(command.get("key"))) {
            checker.problem(command, "key", "\"key\" must be a string");
          }
        }
        default -> {
          // The fields of find and count have no parts.
        }
      }
    }

    private boolean flag(String key) {
      return command.has(key) && command.get(key).toString().equals("true");
    }

    /**
     * The objects of a list; none if the value is not such a list, which has already been reported.
     */
    private List<JsonObject> objects(String key) {
      if (!(command.get(key) instanceof JsonArray array) || !Checker.objects(array)) {
        return List.of();
      }
      return array.asList().stream().map(JsonElement::getAsJsonObject).toList();
    }

    private void notEmpty(String key) {
      if (command.get(key) instanceof JsonArray array && array.isEmpty()) {
        checker.problem(command, key, "\"" + key + "\" is empty");
      }
    }

    private void documents() {
      notEmpty("documents");
      JsonElement documents = command.get("documents");
      boolean list = documents instanceof JsonArray array && Checker.objects(array);
      if (documents != null && !list && !Checker.isParameter(documents)) {
        checker.problem(command, "documents", "\"documents\" must be a list of objects");
      }
    }

    private void stage(JsonObject stage) {
      if (stage.size() != 1 || Checker.isParameter(stage)) {
        checker.problem(stage, "a stage must be an object with one key, such as $match");
        return;
      }
      String name = stage.keySet().iterator().next();
      if (WRITING_STAGES.contains(name)) {
        checker.problem(stage, name, name + " writes: an aggregation must only read");
      } else if (name.equals(ENDLESS_STAGE)) {
        checker.problem(stage, name, name + " never ends: shardload reads all rows of a statement");
      } else if (!name.startsWith("$")) {
        checker.problem(
            stage, name, "\"" + name + "\" is not a stage: the name of a stage begins with $");
      }
    }

    private void entry(String list, JsonObject entry, List<String> known, String required) {
      if (Checker.isParameter(entry)) {
        checker.problem(entry, "an entry of \"" + list + "\" must be an object, not a parameter");
        return;
      }
      checker.fields(list, entry, known);
      for (String key : List.of("q", required)) {
        if (!entry.has(key)) {
          checker.problem(entry, "an entry of \"%s\" has no \"%s\"".formatted(list, key));
        }
      }
      if (required.equals("limit") && entry.has("limit")) {
        String limit = entry.get("limit").toString();
        if (!limit.equals("0") && !limit.equals("1")) {
          checker.problem(entry, "limit", "\"limit\" must be 0 (all that match) or 1");
        }
      }
    }
  }
}
