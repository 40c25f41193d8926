package io.shardload.workload.statements.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Checks the fields of objects in a file and reports problems. */
record Checker(String file, JsonText json, Consumer<Problem> problems) {
  static final String PARAMETER = "$param";
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*(\\.\\w+)*");

  Place place(JsonElement value) {
    return new Place(file, json.line(value));
  }

  void problem(JsonElement value, String text) {
    problems.accept(new Problem(place(value), text));
  }

  void problem(JsonObject object, String key, String text) {
    problems.accept(new Problem(new Place(file, json.line(object, key)), text));
  }

  /** Refuses keys that are not known, and values of the wrong shape. */
  void fields(String of, JsonObject object, Collection<String> known) {
    for (String key : object.keySet()) {
      if (known.contains(key)) {
        shape(object, key);
      } else if (Fields.OF_THE_TARGET.contains(key)) {
        problem(object, key, "\"" + key + "\" is set by the target, not by a statement");
      } else {
        problem(object, key, unknown("field of " + of, key, known));
      }
    }
  }

  static String unknown(String what, String name, Collection<String> known) {
    return ConfigException.unknown("", what, name, known).getMessage();
  }

  private void shape(JsonObject object, String key) {
    JsonElement value = object.get(key);
    Fields.Shape shape = Fields.shape(key);
    boolean right =
        switch (shape) {
          case OBJECT -> value.isJsonObject();
          case OBJECTS -> value.isJsonArray() && objects(value.getAsJsonArray());
          case TEXT -> isText(value);
          case NUMBER -> isParameter(value) || isWhole(value);
          case FLAG -> value instanceof JsonPrimitive flag && flag.isBoolean();
          case ANY -> true;
        };
    if (!right) {
      problem(object, key, "\"%s\" must be %s".formatted(key, shape.words()));
    }
  }

  /** An array whose elements are objects with their own keys. */
  static boolean objects(JsonArray array) {
    return array.asList().stream().allMatch(JsonElement::isJsonObject);
  }

  static boolean isText(JsonElement value) {
    return value instanceof JsonPrimitive text && text.isString() && !text.getAsString().isEmpty();
  }

  private static boolean isWhole(JsonElement value) {
    return value instanceof JsonPrimitive number
        && number.isNumber()
        && number.getAsString().matches("-?[0-9]{1,18}");
  }

  static boolean isParameter(JsonElement value) {
    return value instanceof JsonObject object && object.has(PARAMETER);
  }

  /** Adds the names of parameters below a value, in their order. */
  void parameters(JsonElement value, List<String> names) {
    if (value instanceof JsonArray array) {
      array.forEach(one -> parameters(one, names));
    } else if (isParameter(value)) {
      parameter(value.getAsJsonObject(), names);
    } else if (value instanceof JsonObject object) {
      object.entrySet().forEach(field -> parameters(field.getValue(), names));
    }
  }

  private void parameter(JsonObject object, List<String> names) {
    JsonElement name = object.get(PARAMETER);
    if (object.size() > 1) {
      problem(object, PARAMETER, "\"$param\" must be the only key of its object");
    } else if (!isText(name)) {
      problem(object, PARAMETER, "\"$param\" must be the name of a parameter");
    } else if (!NAME.matcher(name.getAsString()).matches()) {
      problem(
          object,
          PARAMETER,
          "\"%s\" is not a parameter: names consist of a-z, 0-9 and _"
              .formatted(name.getAsString()));
    } else {
      names.add(name.getAsString());
    }
  }
}
