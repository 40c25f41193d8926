package io.shardload.workload.statements.folder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
  private static final String ANY = "any";
  private static final String DEFAULT = "default";
  private static final String NAME = "[a-z][a-z0-9_]*";
  private static final String VALUE = "[A-Za-z0-9_.-]+";
  private static final String NUMBER = "-?\\d{1,18}";

  /** In {@code workload.yml}: the value of an option. */
  private static final Pattern NAMED = Pattern.compile("\\$([a-z][a-z0-9_]*)");

  public Switches {
    byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
  }

  /**
   * An option.
   *
   * @param values all of them; none if it takes any
   * @param narrowed the values that a system takes, if these are not all
   * @param value the one that holds
   * @param whole whether all its values are whole numbers
   * @param setting what else sets it
   */
  public record Switch(
      String name,
      List<String> values,
      Map<String, List<String>> narrowed,
      String value,
      boolean whole,
      Setting setting) {
    private static Switch read(
        Options section, String name, Options root, String chosen, List<String> possible) {
      if (!name.matches(NAME)) {
        throw new ConfigException(
            PATH + "." + name, "the name is not of the form " + NAME + ", such as indexes");
      }
      boolean isFree = section.is(VALUES, ANY);
      List<String> values = isFree ? List.of() : values(section, VALUES);
      Map<String, List<String>> narrowed = new LinkedHashMap<>();
      for (String system : Systems.names()) {
        if (section.has(system)) {
          List<String> own = values(section, system);
          own.forEach(value -> known(section.pathOf(system), name, value, values));
          narrowed.put(system, own);
        }
      }
      String standard = isFree ? section.requiredText(DEFAULT) : values.get(0);
      if (isFree) {
        known(section.pathOf(DEFAULT), name, standard, values);
      } else {
        standard = section.choice(DEFAULT, standard, values);
      }
      Setting setting = Setting.read(section);
      section.rejectUnknown();
      String plain = isFree ? setting.plain(path(name), standard) : "";
      boolean whole =
          (isFree ? List.of(plain) : values).stream().allMatch(one -> one.matches(NUMBER));
      standard = isFree ? setting.accepted(path(name), standard, whole) : standard;
      setting = setting.of(root);
      standard = setting.standard(standard, root);
      Switch read = new Switch(name, values, narrowed, standard, whole, setting);
      String asked = read.asked(root, chosen, possible);
      read = asked == null ? read : read.with(asked);
      if (possible.isEmpty() || possible.stream().anyMatch(read::takes)) {
        return read;
      }
      if (asked != null) {
        throw read.refusal(first(possible));
      }
      // The default is of other systems.
      return read.of(possible).stream().findFirst().map(read::with).orElse(read);
    }

    /** The value that the option or its key sets; null if there is none. */
    private String asked(Options root, String chosen, List<String> possible) {
      String byOption = chosen == null ? null : accepted(path(name), chosen, values);
      String given = setting.given(root).orElse(null);
      if (given == null) {
        return byOption;
      }
      boolean isForOthers = values.contains(given) && !possible.isEmpty();
      if (isForOthers && possible.stream().noneMatch(with(given)::takes)) {
        throw with(given).refusal(first(possible));
      }
      String byKey = accepted(setting.key(), given, possible.isEmpty() ? values : any(possible));
      if (byOption != null && !byOption.equals(byKey)) {
        throw new ConfigException(
            setting.key(), "conflicts with %s=%s".formatted(path(name), chosen));
      }
      return byKey;
    }

    private String accepted(String path, String text, List<String> known) {
      if (!values.isEmpty()) {
        known(path, path.equals(setting.key()) ? "" : name, text, known);
        return text;
      }
      if (whole && setting.key().isEmpty() && !text.matches(NUMBER)) {
        throw new ConfigException(
            path, "\"%s\" is not a whole number, as its default".formatted(text));
      }
      String accepted = setting.accepted(path, text, whole);
      formed(path, accepted);
      return accepted;
    }

    private static String path(String name) {
      return PATH + "." + name;
    }

    private static List<String> values(Options section, String key) {
      List<String> values = section.texts(key);
      if (values.isEmpty()) {
        throw new ConfigException(section.pathOf(key), "is missing: list at least one value");
      }
      values.forEach(value -> formed(section.pathOf(key), value));
      if (new HashSet<>(values).size() < values.size()) {
        throw new ConfigException(section.pathOf(key), "lists a value twice");
      }
      return values;
    }

    private static void formed(String path, String value) {
      if (!value.matches(VALUE)) {
        throw new ConfigException(
            path,
            "\"%s\" is not a value: it names a folder, so write letters, digits, _, . and -"
                .formatted(value));
      }
    }

    private static void known(String path, String name, String value, List<String> values) {
      if (values.isEmpty()) {
        formed(path, value);
      } else if (!values.contains(value)) {
        String what = name.isEmpty() ? "value" : "value of option " + name;
        throw ConfigException.unknown(path, what, value, values);
      }
    }

    /** One whose files are not those of another system, if there is one. */
    private static String first(List<String> systems) {
      return systems.stream()
          .filter(system -> Systems.fallbackOf(system).isEmpty())
          .findFirst()
          .orElse(systems.get(0));
    }

    /** The values that one of these systems takes; none if it takes any. */
    private List<String> any(List<String> systems) {
      return values.stream().filter(one -> systems.stream().anyMatch(with(one)::takes)).toList();
    }

    /** The values that all of these systems take; if there are none, those of the first. */
    private List<String> of(List<String> systems) {
      List<String> all = new ArrayList<>(of(first(systems)));
      systems.forEach(system -> all.retainAll(of(system)));
      return all.isEmpty() ? of(first(systems)) : all;
    }

    private List<String> of(String system) {
      return Systems.of(narrowed, system).orElse(values);
    }

    private boolean takes(String system) {
      return of(system).isEmpty() || of(system).contains(value);
    }

    private ConfigException refusal(String system) {
      String others =
          narrowed.keySet().stream()
              .filter(other -> narrowed.get(other).contains(value))
              .map(other -> ", %s does".formatted(other))
              .collect(Collectors.joining());
      return new ConfigException(
          setting.key().isEmpty() ? path(name) : setting.key(),
          "%s does not take \"%s\"%s; known are %s"
              .formatted(system, value, others, String.join(", ", of(system))));
    }

    private Switch with(String other) {
      return new Switch(name, values, narrowed, other, whole, setting);
    }

    /** Its value as statements get it: a whole number if all values are, or else a text. */
    Object typed() {
      return whole && value.matches(NUMBER) ? (Object) Long.valueOf(value) : value;
    }

    /** What files get in place of its value. */
    private JsonElement filled() {
      return setting.filled(value);
    }

    /** How {@code -o} gives it a value. */
    public String option(String other) {
      return setting.option(other).orElse(path(name) + "=" + other);
    }

    /** In the form of a folder's name, such as {@code indexes=text}. */
    String label() {
      return name + "=" + value;
    }
  }

  /**
   * Reads the options.
   *
   * @param root the whole configuration
   * @param work section {@code workload}, with the chosen values in {@code chosen}
   * @param possible the systems that the target may be; empty for any
   * @throws ConfigException all problems
   */
  public static Switches read(Options root, Options work, List<String> possible) {
    Options declared = work.section("options");
    Options chosen = work.section("chosen");
    Map<String, Switch> all = new LinkedHashMap<>();
    List<Runnable> readings = new ArrayList<>();
    for (String name : declared.keys()) {
      readings.add(
          () -> {
            String asked = chosen.text(name).orElse(null);
            all.put(name, Switch.read(declared.section(name), name, root, asked, possible));
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

  /** Whether a system takes all values. */
  private boolean areOf(String system) {
    return byName.values().stream().allMatch(one -> one.takes(system));
  }

  /** The values of the options that a section of the configuration sets, by its keys. */
  public Map<String, String> setBy(String section) {
    return setBy(section, byName.keySet());
  }

  /** The same for some options. */
  public Map<String, String> setBy(String section, Set<String> names) {
    return byName.values().stream()
        .filter(one -> names.contains(one.name()))
        .filter(one -> one.setting().key().startsWith(section + "."))
        .collect(
            Collectors.toMap(
                one -> one.setting().key().substring(section.length() + 1), Switch::value));
  }

  /** The values that hold, by the names of the options, as statements get them. */
  public Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    byName.forEach((name, one) -> values.put(name, one.typed()));
    return values;
  }

  /** A copy of a section in which each text {@code $NAME} is the value of an option. */
  public JsonElement filled(String path, JsonElement element) {
    if (element instanceof JsonObject object) {
      JsonObject copy = new JsonObject();
      object.asMap().forEach((name, value) -> copy.add(name, filled(path + "." + name, value)));
      return copy;
    }
    if (element instanceof JsonArray list) {
      JsonArray copy = new JsonArray();
      list.forEach(value -> copy.add(filled(path, value)));
      return copy;
    }
    Optional<String> name = named(element);
    name.ifPresent(one -> refuseUnknown(path, one, byName.keySet()));
    return name.map(one -> byName.get(one).filled()).orElse(element);
  }

  private static Optional<String> named(JsonElement element) {
    Matcher name =
        NAMED.matcher(
            element instanceof JsonPrimitive one && one.isString() ? one.getAsString() : "");
    return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
  }

  /** The options that {@link #filled} would fill in. */
  public static Set<String> namedIn(JsonElement element) {
    Set<String> names = new TreeSet<>(named(element).stream().toList());
    if (element instanceof JsonObject object) {
      object.asMap().values().forEach(value -> names.addAll(namedIn(value)));
    } else if (element instanceof JsonArray list) {
      list.forEach(value -> names.addAll(namedIn(value)));
    }
    return names;
  }

  /** A statement of a schema with the values of the options that it names. */
  Statement filled(Statement statement) {
    if (statement instanceof SqlStatement sql) {
      StringBuilder text = new StringBuilder(sql.pieces().get(0));
      for (int i = 0; i < sql.names().size(); i++) {
        text.append(byName.get(sql.names().get(i)).filled().getAsString());
        text.append(sql.pieces().get(i + 1));
      }
      List<String> whole = List.of(text.toString());
      return new SqlStatement(sql.place(), whole, List.of(), sql.verb(), sql.writes());
    }
    CommandStatement command = (CommandStatement) statement;
    JsonObject whole = filled(command.command()).getAsJsonObject();
    return new CommandStatement(
        command.place(), command.verb(), command.collection(), whole, List.of(), command.writes());
  }

  /** A whole number, or a text, for each {@code {"$param": "name"}}. */
  private JsonElement filled(JsonElement element) {
    if (element instanceof JsonArray list) {
      JsonArray copy = new JsonArray();
      list.forEach(value -> copy.add(filled(value)));
      return copy;
    }
    if (!(element instanceof JsonObject object)) {
      return element;
    }
    if (object.has("$param")) {
      String value = byName.get(object.get("$param").getAsString()).filled().getAsString();
      return value.matches(NUMBER)
          ? new JsonPrimitive(Long.valueOf(value))
          : new JsonPrimitive(value);
    }
    JsonObject copy = new JsonObject();
    object.asMap().forEach((name, value) -> copy.add(name, filled(value)));
    return copy;
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
   * The same with each other value that a system takes, one option at a time, by what differs. An
   * option that the section {@code schema} of a target sets keeps the target's value: another one
   * may be for other servers.
   *
   * @param combined further values to set together, each as the name of its folder
   */
  public Map<String, Switches> others(String system, Collection<List<String>> combined) {
    List<List<String>> all = new ArrayList<>();
    byName.values().stream()
        .filter(one -> !one.setting().ofTarget())
        .forEach(one -> one.values().forEach(v -> all.add(List.of(one.with(v).label()))));
    combined.stream()
        .filter(labels -> labels.stream().noneMatch(label -> ofLabel(label).setting().ofTarget()))
        .forEach(all::add);
    Map<String, Switches> others = new LinkedHashMap<>();
    for (List<String> labels : all) {
      Map<String, Switch> changed = new LinkedHashMap<>(byName);
      for (String label : labels) {
        String[] parts = label.split("=", 2);
        changed.put(parts[0], changed.get(parts[0]).with(parts[1]));
      }
      Switches other = new Switches(changed);
      if (!changed.equals(byName) && other.areOf(system)) {
        others.put(String.join(", ", labels), other);
      }
    }
    return others;
  }

  private Switch ofLabel(String label) {
    return byName.get(label.substring(0, label.indexOf('=')));
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
