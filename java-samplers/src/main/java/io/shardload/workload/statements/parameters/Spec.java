package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a file says of one parameter, column or JSON field. A wrong value is noted and counts as its
 * default, so that all that is wrong is found at once. Not thread-safe.
 */
final class Spec {
  /** What the values are for. */
  enum Use {
    PARAMETER,
    COLUMN,
    PARAMETER_FIELD,
    COLUMN_FIELD;

    /** Whether the values are those of a table's rows. */
    boolean ofRows() {
      return this == COLUMN || this == COLUMN_FIELD;
    }

    Use field() {
      return ofRows() ? COLUMN_FIELD : PARAMETER_FIELD;
    }
  }

  private final String path;
  private final JsonObject json;
  private final Use use;
  private final Options options;
  private final List<ConfigException> problems = new ArrayList<>();
  private boolean dated;

  /**
   * @param path in the configuration
   * @param element what stands there
   */
  Spec(String path, JsonElement element, Use use) {
    this.path = path;
    this.use = use;
    if (!element.isJsonObject()) {
      problems.add(
          new ConfigException(path, "must be a section of keys and values, as {type: uuid}"));
    }
    this.json = element.isJsonObject() ? element.getAsJsonObject() : new JsonObject();
    this.options = new Options(path, json);
  }

  String path() {
    return path;
  }

  Use use() {
    return use;
  }

  boolean has(String key) {
    return options.has(key);
  }

  /** Whether the value is this text. */
  boolean is(String key, String text) {
    return new JsonPrimitive(text).equals(json.get(key));
  }

  /** Whether there is a value; notes that it is missing if not. */
  boolean requires(String key) {
    if (!has(key)) {
      problem(key, "is missing");
    }
    return has(key);
  }

  long integer(String key, long otherwise, long min, long max) {
    return get(() -> options.integer(key, otherwise, min, max), otherwise);
  }

  double number(String key, double otherwise, double min, double max) {
    return get(() -> options.number(key, otherwise, min, max), otherwise);
  }

  String text(String key, String otherwise) {
    return get(() -> options.text(key, otherwise), otherwise);
  }

  /** A name out of a list; the default if it is none of them. */
  String choice(String key, String otherwise, List<String> choices) {
    return get(() -> options.choice(key, otherwise, choices), otherwise);
  }

  List<String> texts(String key) {
    return get(() -> options.texts(key), List.of());
  }

  Optional<BigDecimal> decimal(String key) {
    String text = text(key, "");
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(new BigDecimal(text));
    } catch (NumberFormatException e) {
      problem(key, "is not a number: '" + text + "'");
      return Optional.empty();
    }
  }

  boolean isList(String key) {
    return json.has(key) && json.get(key).isJsonArray();
  }

  /** The sections by name of a key that is a map of them; notes if there is none. */
  JsonObject map(String key) {
    JsonObject map = get(() -> options.subtree(key), new JsonObject());
    if (map.size() == 0 && sound()) {
      problem(key, "is missing: it lists at least one");
    }
    return map;
  }

  /** Notes that the values depend on when the file was read. */
  void dated() {
    dated = true;
  }

  boolean isDated() {
    return dated;
  }

  /** Notes what is wrong with a key. */
  void problem(String key, String text) {
    problems.add(new ConfigException(options.pathOf(key), text));
  }

  void unknown(String key, String what, String name, Collection<String> known) {
    problems.add(ConfigException.unknown(options.pathOf(key), what, name, known));
  }

  void problems(List<ConfigException> found) {
    problems.addAll(found);
  }

  /** Whether nothing was wrong so far. */
  boolean sound() {
    return problems.isEmpty();
  }

  /** What was wrong so far. */
  List<ConfigException> problems() {
    return problems;
  }

  /** All that was wrong, unknown keys too; the others have been read before. */
  List<ConfigException> end() {
    get(
        () -> {
          options.whole(Options::rejectUnknown);
          return true;
        },
        false);
    return problems;
  }

  private <T> T get(Supplier<T> reader, T otherwise) {
    try {
      return reader.get();
    } catch (ConfigException e) {
      problems.addAll(e.problems());
      return otherwise;
    }
  }
}
