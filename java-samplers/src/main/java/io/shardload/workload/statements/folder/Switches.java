package io.shardload.workload.statements.folder;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of a folder, section {@code workload.options}, each with the value that holds.
 * Immutable.
 *
 * @param byName in the order of the file
 */
public record Switches(Map<String, Switch> byName) {
  /** No options. */
  public static final Switches NONE = new Switches(Map.of());

  private static final String PATH = "workload.options";
  private static final String VALUES = "values";
  private static final String NAME = "[a-z][a-z0-9_]*";
  private static final String VALUE = "[A-Za-z0-9_.-]+";
  private static final String NUMBER = "-?\\d{1,18}";

  public Switches {
    byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
  }

  /**
   * An option.
   *
   * @param values all of them
   * @param narrowed the values that a system takes, if these are not all
   * @param value the one that holds
   */
  public record Switch(
      String name, List<String> values, Map<String, List<String>> narrowed, String value) {
    private static Switch read(Options section, String name, String asked, List<String> possible) {
      if (!name.matches(NAME)) {
        throw new ConfigException(
            PATH + "." + name, "the name is not of the form " + NAME + ", such as indexes");
      }
      List<String> values = values(section, VALUES);
      Map<String, List<String>> narrowed = new LinkedHashMap<>();
      for (String system : Folder.systems()) {
        if (section.has(system)) {
          List<String> own = values(section, system);
          own.forEach(value -> known(section.pathOf(system), name, value, values));
          narrowed.put(system, own);
        }
      }
      String standard = section.choice("default", values.get(0), values);
      section.rejectUnknown();
      if (asked != null) {
        known(PATH + "." + name, name, asked, values);
      }
      Switch read = new Switch(name, values, narrowed, asked == null ? standard : asked);
      if (possible.isEmpty() || possible.stream().anyMatch(read::takes)) {
        return read;
      }
      if (asked != null) {
        throw read.refusal(first(possible));
      }
      // The default is of other systems.
      return read.of(possible).stream().findFirst().map(read::with).orElse(read);
    }

    private static List<String> values(Options section, String key) {
      List<String> values = section.texts(key);
      if (values.isEmpty()) {
        throw new ConfigException(section.pathOf(key), "is missing: list at least one value");
      }
      for (String value : values) {
        if (!value.matches(VALUE)) {
          throw new ConfigException(
              section.pathOf(key),
              "\"%s\" is not a value: it names a folder, so write letters, digits, _, . and -"
                  .formatted(value));
        }
      }
      if (new HashSet<>(values).size() < values.size()) {
        throw new ConfigException(section.pathOf(key), "lists a value twice");
      }
      return values;
    }

    private static void known(String path, String name, String value, List<String> values) {
      if (!values.contains(value)) {
        throw ConfigException.unknown(path, "value of option " + name, value, values);
      }
    }

    /** One whose files are not those of another system, if there is one. */
    private static String first(List<String> systems) {
      return systems.stream()
          .filter(system -> Folder.fallbackOf(system).isEmpty())
          .findFirst()
          .orElse(systems.get(0));
    }

    /** The values that all of these systems take; if there are none, those of the first. */
    private List<String> of(List<String> systems) {
      List<String> all = new ArrayList<>(of(first(systems)));
      systems.forEach(system -> all.retainAll(of(system)));
      return all.isEmpty() ? of(first(systems)) : all;
    }

    private List<String> of(String system) {
      return Optional.ofNullable(narrowed.get(system))
          .or(() -> Folder.fallbackOf(system).map(narrowed::get))
          .orElse(values);
    }

    private boolean takes(String system) {
      return of(system).contains(value);
    }

    private ConfigException refusal(String system) {
      return new ConfigException(
          PATH + "." + name,
          "%s does not take \"%s\"; known are %s"
              .formatted(system, value, String.join(", ", of(system))));
    }

    private Switch with(String other) {
      return new Switch(name, values, narrowed, other);
    }

    /** Its value as statements get it: a whole number if all values are, or else a text. */
    Object typed() {
      boolean numbers = values.stream().allMatch(one -> one.matches(NUMBER));
      return numbers ? (Object) Long.valueOf(value) : value;
    }

    /** In the form of a folder's name, such as {@code indexes=text}. */
    String label() {
      return name + "=" + value;
    }
  }

  /**
   * Reads the options.
   *
   * @param work section {@code workload}, with the chosen values in {@code chosen}
   * @param possible the systems that the target may be; empty for any
   * @throws ConfigException all problems
   */
  public static Switches read(Options work, List<String> possible) {
    Options declared = work.section("options");
    Options chosen = work.section("chosen");
    Map<String, Switch> all = new LinkedHashMap<>();
    List<Runnable> readings = new ArrayList<>();
    for (String name : declared.keys()) {
      readings.add(
          () -> {
            String asked = chosen.text(name).orElse(null);
            all.put(name, Switch.read(declared.section(name), name, asked, possible));
          });
    }
    for (String name : chosen.keys()) {
      readings.add(() -> refuseUnknown(PATH + "." + name, name, declared.keys()));
    }
    ConfigException.all(readings.toArray(new Runnable[0]));
    return new Switches(all);
  }

  private static void refuseUnknown(String path, String name, Collection<String> known) {
    if (!known.contains(name)) {
      throw ConfigException.unknown(path, "option", name, known);
    }
  }

  /** Refuses values that a server's system does not take. */
  public void check(String system) {
    List<ConfigException> problems =
        byName.values().stream()
            .filter(one -> !one.takes(system))
            .map(one -> one.refusal(system))
            .toList();
    if (!problems.isEmpty()) {
      throw ConfigException.of(problems);
    }
  }

  /** The values that hold, by the names of the options, as statements get them. */
  public Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    byName.forEach((name, one) -> values.put(name, one.typed()));
    return values;
  }

  /** The names of the folders whose files hold, such as {@code indexes=text}. */
  List<String> labels() {
    return byName.values().stream().map(Switch::label).toList();
  }

  /** What is wrong with the name of a folder; empty if it is {@code NAME=VALUE} of an option. */
  Optional<String> problem(String folder) {
    String name = folder.substring(0, folder.indexOf('='));
    try {
      refuseUnknown("", name, byName.keySet());
      Switch.known("", name, folder.substring(name.length() + 1), byName.get(name).values());
      return Optional.empty();
    } catch (ConfigException e) {
      return Optional.of(e.getMessage());
    }
  }

  /**
   * The same with each other value that a system takes, one option at a time, by what differs.
   *
   * @param combined further values to set together, each as the name of its folder
   */
  public Map<String, Switches> others(String system, Collection<List<String>> combined) {
    List<List<String>> all = new ArrayList<>();
    byName
        .values()
        .forEach(one -> one.values().forEach(v -> all.add(List.of(one.with(v).label()))));
    all.addAll(combined);
    Map<String, Switches> others = new LinkedHashMap<>();
    for (List<String> labels : all) {
      Map<String, Switch> changed = new LinkedHashMap<>(byName);
      for (String label : labels) {
        String[] parts = label.split("=", 2);
        changed.put(parts[0], changed.get(parts[0]).with(parts[1]));
      }
      if (!changed.equals(byName) && changed.values().stream().allMatch(one -> one.takes(system))) {
        others.put(String.join(", ", labels), new Switches(changed));
      }
    }
    return others;
  }

  /**
   * Values of options that something needs.
   *
   * @param values those that will do, by the names of the options
   */
  public record Condition(Map<String, List<String>> values) {
    /** Whether it holds. */
    public boolean met(Switches switches) {
      return values.entrySet().stream()
          .allMatch(one -> one.getValue().contains(switches.byName.get(one.getKey()).value()));
    }

    /**
     * Refuses what does not hold.
     *
     * @param what needs it
     */
    public void require(Switches switches, String what) {
      values.forEach(
          (name, needed) -> {
            String value = switches.byName.get(name).value();
            if (!needed.contains(value)) {
              throw new ConfigException(
                  PATH + "." + name,
                  "is \"%s\", but %s needs %s".formatted(value, what, String.join(" or ", needed)));
            }
          });
    }
  }

  /**
   * Reads a condition such as {@code {indexes: text, model: [document, lookup]}}.
   *
   * @throws ConfigException it names an option or value that there is not
   */
  public Condition condition(String path, JsonElement element) {
    if (!(element instanceof JsonObject section)) {
      throw new ConfigException(path, "must name options with their values, as {indexes: text}");
    }
    Map<String, List<String>> values = new LinkedHashMap<>();
    section
        .asMap()
        .forEach(
            (name, value) -> {
              String key = path + "." + name;
              refuseUnknown(key, name, byName.keySet());
              Options one = new Options(path, section);
              List<String> listed =
                  value instanceof JsonPrimitive ? List.of(value.getAsString()) : one.texts(name);
              if (listed.isEmpty()) {
                throw new ConfigException(key, "must name at least one value");
              }
              listed.forEach(each -> Switch.known(key, name, each, byName.get(name).values()));
              values.put(name, listed);
            });
    return new Condition(values);
  }
}
