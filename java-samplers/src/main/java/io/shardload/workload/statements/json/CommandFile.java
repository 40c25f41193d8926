package io.shardload.workload.statements.json;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Reads a file of MongoDB's database commands: an object is one statement, an array several in
 * their order, and {@code {"variants": [...]}} has one of these for each variant.
 *
 * <p>The commands are those of a document's life. What fields each takes, the driver knows.
 */
public final class CommandFile {
  /** How a parameter is written, in the place of a value. */
  static final String PARAMETER = "$param";

  private static final String VARIANTS = "variants";
  private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]*");
  private static final Set<String> READING = Set.of("find", "aggregate", "count", "distinct");
  private static final Set<String> WRITING = Set.of("insert", "update", "delete", "findAndModify");
  private static final Set<String> VERBS = verbs();

  private final JsonText text;
  private final Consumer<Problem> problems;

  private CommandFile(JsonText text, Consumer<Problem> problems) {
    this.text = text;
    this.problems = problems;
  }

  private static Set<String> verbs() {
    Set<String> all = new TreeSet<>(READING);
    all.addAll(WRITING);
    return all;
  }

  /**
   * Reads the statements of a transaction, check or query.
   *
   * @param file as {@link Place#file}
   * @param problems told of everything that is wrong
   * @return the variants; those with problems are not whole
   */
  public static List<List<CommandStatement>> read(
      String file, String json, Consumer<Problem> problems) {
    try {
      JsonText text = JsonText.read(file, json);
      return new CommandFile(text, problems).variants(text.root());
    } catch (JsonText.SyntaxException e) {
      problems.accept(new Problem(e.place(), e.getMessage()));
      return List.of();
    }
  }

  private List<List<CommandStatement>> variants(JsonElement root) {
    List<List<CommandStatement>> variants = new ArrayList<>();
    if (!root.isJsonObject() || !root.getAsJsonObject().has(VARIANTS)) {
      variants.add(statements(root));
      return variants;
    }
    JsonObject object = root.getAsJsonObject();
    if (object.size() > 1 || !object.get(VARIANTS).isJsonArray()) {
      wrong(root, "\"variants\" stands alone, and has a list");
      return variants;
    }
    if (object.getAsJsonArray(VARIANTS).isEmpty()) {
      wrong(root, "there is no statement");
    }
    for (JsonElement variant : object.getAsJsonArray(VARIANTS)) {
      variants.add(statements(variant));
    }
    return variants;
  }

  private List<CommandStatement> statements(JsonElement element) {
    List<JsonElement> all =
        element.isJsonArray() ? element.getAsJsonArray().asList() : List.of(element);
    List<CommandStatement> statements = new ArrayList<>();
    for (JsonElement one : all) {
      if (!one.isJsonObject() || one.getAsJsonObject().isEmpty()) {
        wrong(element, "a statement is an object such as {\"find\": \"orders\"}");
      } else {
        statement(one.getAsJsonObject(), statements);
      }
    }
    if (all.isEmpty()) {
      wrong(element, "there is no statement");
    }
    return statements;
  }

  private void statement(JsonObject command, List<CommandStatement> statements) {
    String verb = command.keySet().iterator().next();
    if (!VERBS.contains(verb)) {
      wrong(command, ConfigException.unknown("", "command", verb, VERBS).getMessage());
      return;
    }
    JsonElement collection = command.get(verb);
    if (!collection.isJsonPrimitive() || !collection.getAsJsonPrimitive().isString()) {
      wrong(command, verb + " wants the name of a collection");
      return;
    }
    List<String> names = new ArrayList<>();
    command.entrySet().forEach(field -> parameters(command, field.getValue(), names));
    if (verb.equals("aggregate")) {
      stages(command);
    }
    statements.add(
        new CommandStatement(
            text.place(command),
            verb,
            collection.getAsString(),
            command,
            names,
            WRITING.contains(verb)));
  }

  /** Collects the names of the parameters in the order in which they stand. */
  private void parameters(JsonObject command, JsonElement value, List<String> names) {
    if (value.isJsonArray()) {
      value.getAsJsonArray().forEach(item -> parameters(command, item, names));
    } else if (value.isJsonObject() && value.getAsJsonObject().has(PARAMETER)) {
      JsonObject parameter = value.getAsJsonObject();
      JsonElement name = parameter.get(PARAMETER);
      boolean named = name.isJsonPrimitive() && NAME.matcher(name.getAsString()).matches();
      if (parameter.size() > 1 || !named) {
        wrong(value, "a parameter is written {\"$param\": \"name\"}, in lower case");
      } else {
        names.add(name.getAsString());
      }
    } else if (value.isJsonObject()) {
      value
          .getAsJsonObject()
          .entrySet()
          .forEach(field -> parameters(command, field.getValue(), names));
    }
  }

  private void stages(JsonObject command) {
    JsonElement pipeline = command.get("pipeline");
    if (pipeline == null || !pipeline.isJsonArray()) {
      return; // The driver says that it is missing.
    }
    for (JsonElement stage : pipeline.getAsJsonArray()) {
      for (String writing : List.of("$out", "$merge")) {
        if (stage.isJsonObject() && stage.getAsJsonObject().has(writing)) {
          wrong(
              stage,
              writing + " writes a collection that nobody would check; use insert or update");
        }
      }
    }
  }

  private void wrong(JsonElement element, String message) {
    problems.accept(new Problem(text.place(element), message));
  }
}
