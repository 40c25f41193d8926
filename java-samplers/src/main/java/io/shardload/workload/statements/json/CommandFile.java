package io.shardload.workload.statements.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.List;
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
}
