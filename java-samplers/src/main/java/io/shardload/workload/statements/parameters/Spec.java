package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The definition of one parameter, column or JSON field in a file. A wrong value is recorded and
 * replaced by its default, so that all problems are found in one pass. Not thread-safe.
 */
final class Spec {
  /** The use of the values. */
  enum Use {
    PARAMETER,
    COLUMN,
    PARAMETER_FIELD,
    COLUMN_FIELD;

    /** Whether the values belong to rows of a table. */
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

  /**
   * @param path in the configuration
   * @param element the value in the file
   */
  Spec(String path, JsonElement element, Use use) {
    this.path = path;
    this.use = use;
    if (!element.isJsonObject()) {
      problems.add(
          new ConfigException(path, "must be a section of keys and values, such as {type: uuid}"));
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

  /** Whether there is a value; records a problem if it is missing. */
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

  /** A name from a list; the default if it is not in the list. */
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

  /** The sections by name of a key that is a map of them; records a problem if there is none. */
  JsonObject map(String key) {
    JsonObject map = get(() -> options.subtree(key), new JsonObject());
    if (map.size() == 0 && sound()) {
      problem(key, "is missing: list at least one entry");
    }
    return map;
  }

  /** True or false. */
  boolean flag(String key, boolean otherwise) {
    return get(() -> options.flag(key, otherwise), otherwise);
  }

  /** The numbers of a list. */
  List<Double> numbers(String key, double min, double max) {
    List<Double> numbers = new ArrayList<>();
    for (String text : texts(key)) {
      double number = text.matches("\\d{1,15}(\\.\\d{1,9})?") ? Double.parseDouble(text) : -1;
      if (number < min || number > max) {
        problem(key, "'%s' is not a number from %.0f to %.0f".formatted(text, min, max));
        return List.of();
      }
      numbers.add(number);
    }
    return numbers;
  }

  /** A whole number, or one between two bounds. */
  record Range(long least, long most) {
    static final Range NONE = new Range(0, 0);

    long draw(Draws draws) {
      return least + (least == most ? 0 : draws.next(most - least + 1));
    }
  }

  /**
   * A number or {@code [least, most]}.
   *
   * @param largest number that is allowed
   * @param what is counted, for messages
   */
  Range range(String key, int largest, String what) {
    if (!requires(key)) {
      return Range.NONE;
    }
    List<String> bounds = isList(key) ? texts(key) : List.of(text(key, ""));
    boolean complete = bounds.stream().allMatch(bound -> isUpTo(bound, largest));
    if (!complete || bounds.size() > 2 || (bounds.size() < 2 && isList(key))) {
      problem(key, "is neither a number of %s up to %d nor [least, most]".formatted(what, largest));
      return Range.NONE;
    }
    Range range =
        new Range(Long.parseLong(bounds.get(0)), Long.parseLong(bounds.get(bounds.size() - 1)));
    if (range.least > range.most) {
      problem(key, "the least, %d, is above the most, %d".formatted(range.least, range.most));
      return Range.NONE;
    }
    return range;
  }

  private static boolean isUpTo(String text, int largest) {
    return text.matches("\\d{1,7}") && Long.parseLong(text) <= largest;
  }

  /** A value as the file has it. */
  JsonElement element(String key) {
    return json.get(key);
  }

  /** A section within this one, with problems of its own. */
  Spec section(String key) {
    return new Spec(options.pathOf(key), json.get(key), use);
  }

  /** Records a problem with a key. */
  void problem(String key, String text) {
    problems.add(new ConfigException(options.pathOf(key), text));
  }

  void unknown(String key, String what, String name, Collection<String> known) {
    problems.add(ConfigException.unknown(options.pathOf(key), what, name, known));
  }

  void problems(List<ConfigException> found) {
    problems.addAll(found);
  }

  /** Whether there was no problem so far. */
  boolean sound() {
    return problems.isEmpty();
  }

  /** The problems so far. */
  List<ConfigException> problems() {
    return problems;
  }

  /** All problems, including unknown keys; all other keys have been read before. */
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
