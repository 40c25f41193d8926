package io.shardload.config;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One section of the configuration, read key by key. Every key that is read becomes a known key;
 * {@link #rejectUnknown()} then refuses all others, so no key is ever silently ignored.
 *
 * <p>Not thread-safe: it is read once, before anything starts.
 */
public final class Options {
  private final String path;
  private final JsonObject values;
  private final Set<String> known = new LinkedHashSet<>();
  private final List<ConfigException> problems = new ArrayList<>();
  private boolean collecting;

  public Options(String path, JsonObject values) {
    this.path = path;
    this.values = values;
  }

  /** An empty section: every key has its default. */
  public static Options none(String path) {
    return new Options(path, new JsonObject());
  }

  /**
   * Has the section read with all its problems collected: a wrong value counts as its default until
   * the reader ends.
   *
   * @throws ConfigException what was wrong, all together
   */
  public void whole(Consumer<Options> reader) {
    collecting = true;
    try {
      reader.accept(this);
    } catch (ConfigException e) {
      problems.addAll(e.problems());
    } finally {
      collecting = false;
    }
    if (!problems.isEmpty()) {
      throw ConfigException.of(problems);
    }
  }

  private void refuse(ConfigException problem) {
    if (!collecting) {
      throw problem;
    }
    problems.add(problem);
  }

  /** Dotted path of a key of this section. */
  public String pathOf(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  public Optional<String> text(String key) {
    return primitive(key).map(JsonPrimitive::getAsString);
  }

  /** Whether the value of a key is a section, and not one value. */
  public boolean isSection(String key) {
    return values.get(key) instanceof JsonObject;
  }

  public String text(String key, String defaultValue) {
    return text(key).orElse(defaultValue);
  }

  public String requiredText(String key) {
    return text(key).orElseThrow(() -> new ConfigException(pathOf(key), "is missing"));
  }

  /** A name from a closed list. */
  public String choice(String key, String defaultValue, List<String> choices) {
    String value = text(key, defaultValue);
    if (!choices.contains(value)) {
      refuse(ConfigException.unknown(pathOf(key), "value", value, choices));
      return defaultValue;
    }
    return value;
  }

  public long integer(String key, long defaultValue, long min, long max) {
    Optional<JsonPrimitive> value = primitive(key);
    if (value.isEmpty()) {
      return defaultValue;
    }
    try {
      long number = value.get().getAsBigDecimal().longValueExact();
      if (number >= min && number <= max) {
        return number;
      }
      refuse(outside(key, number, min + " to " + max));
    } catch (NumberFormatException | ArithmeticException e) {
      refuse(
          new ConfigException(
              pathOf(key), "is not a whole number: '" + value.get().getAsString() + "'"));
    }
    return defaultValue;
  }

  public double number(String key, double defaultValue, double min, double max) {
    Optional<JsonPrimitive> value = primitive(key);
    if (value.isEmpty()) {
      return defaultValue;
    }
    try {
      double number = value.get().getAsDouble();
      if (number >= min && number <= max) {
        return number;
      }
      refuse(outside(key, number, min + " to " + max));
    } catch (NumberFormatException e) {
      refuse(
          new ConfigException(pathOf(key), "is not a number: '" + value.get().getAsString() + "'"));
    }
    return defaultValue;
  }

  public boolean flag(String key, boolean defaultValue) {
    String value = choice(key, Boolean.toString(defaultValue), List.of("true", "false"));
    return Boolean.parseBoolean(value);
  }

  /** A duration such as {@code 250us}, {@code 1.5s}, {@code 1m30s} or {@code 10} (seconds). */
  public Duration duration(String key, Duration defaultValue) {
    return inUnits(key, Durations::parse, defaultValue, "duration such as 250us, 10s or 1m30s");
  }

  /** A size such as {@code 512B}, {@code 2KiB} or {@code 20GiB}, in bytes. */
  public long bytes(String key, long defaultBytes) {
    return inUnits(key, Units::bytes, defaultBytes, "size such as 512B, 2KiB or 20GiB");
  }

  /** A section inside this one; empty when absent. */
  public Options section(String key) {
    known.add(key);
    JsonElement element = values.get(key);
    if (element == null || element.isJsonNull()) {
      return none(pathOf(key));
    }
    if (!element.isJsonObject()) {
      throw new ConfigException(pathOf(key), "must be a section of keys and values");
    }
    return new Options(pathOf(key), element.getAsJsonObject());
  }

  /** The sections of a list; empty when absent. */
  public List<Options> sections(String key) {
    known.add(key);
    JsonElement element = values.get(key);
    List<Options> result = new ArrayList<>();
    if (element == null || element.isJsonNull()) {
      return result;
    }
    if (!element.isJsonArray()) {
      throw new ConfigException(pathOf(key), "must be a list");
    }
    JsonArray array = element.getAsJsonArray();
    for (int i = 0; i < array.size(); i++) {
      if (!array.get(i).isJsonObject()) {
        throw new ConfigException(pathOf(key) + "." + i, "must be a section of keys and values");
      }
      result.add(new Options(pathOf(key) + "." + i, array.get(i).getAsJsonObject()));
    }
    return result;
  }

  /** The single values of a list; empty when absent. */
  public List<String> texts(String key) {
    known.add(key);
    JsonElement element = values.get(key);
    if (element == null || element.isJsonNull()) {
      return List.of();
    }
    if (!element.isJsonArray()) {
      throw new ConfigException(pathOf(key), "must be a list");
    }
    List<String> result = new ArrayList<>();
    for (JsonElement one : element.getAsJsonArray()) {
      if (!one.isJsonPrimitive()) {
        throw new ConfigException(pathOf(key), "must be a list of single values");
      }
      result.add(one.getAsString());
    }
    return result;
  }

  /** The raw values of a section that another reader interprets. */
  public JsonObject subtree(String key) {
    return section(key).values;
  }

  /** Copies a value as it is, if there is one. */
  public void copy(String key, JsonObject to) {
    if (has(key)) {
      to.add(key, values.get(key));
    }
  }

  /** The names of all keys present: for sections that are maps, such as a mix. */
  public Set<String> keys() {
    return values.keySet();
  }

  public boolean has(String key) {
    known.add(key);
    return values.has(key) && !values.get(key).isJsonNull();
  }

  public boolean isList(String key) {
    return has(key) && values.get(key).isJsonArray();
  }

  /** Whether the value is this text. */
  public boolean is(String key, String text) {
    return has(key) && new JsonPrimitive(text).equals(values.get(key));
  }

  /** Refuses every key that was never asked for. */
  public void rejectUnknown() {
    for (String key : values.keySet()) {
      if (!known.contains(key)) {
        refuse(ConfigException.unknown(pathOf(key), "option", key, known));
      }
    }
  }

  private Optional<JsonPrimitive> primitive(String key) {
    known.add(key);
    JsonElement element = values.get(key);
    if (element == null || element.isJsonNull()) {
      return Optional.empty();
    }
    if (!element.isJsonPrimitive()) {
      refuse(new ConfigException(pathOf(key), "must be a single value"));
      return Optional.empty();
    }
    return Optional.of(element.getAsJsonPrimitive());
  }

  private <T> T inUnits(
      String key, Function<String, Optional<T>> parser, T defaultValue, String what) {
    Optional<String> text = text(key);
    Optional<T> value = text.flatMap(parser);
    if (text.isPresent() && value.isEmpty()) {
      refuse(new ConfigException(pathOf(key), "'" + text.get() + "' is not a " + what));
    }
    return value.orElse(defaultValue);
  }

  private ConfigException outside(String key, Object value, String range) {
    return new ConfigException(pathOf(key), value + " is outside " + range);
  }
}
