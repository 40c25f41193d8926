package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.port.ValueType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All parameters and tables of a folder. {@link Types} lists the types.
 *
 * @param byName the parameters, in the order of the file
 * @param tables in the order of the file; empty with {@code data: existing}
 * @param existing whether the data is existing data of the user
 * @param queries names of the parameters that need the answer of a query, with the maximum number
 *     of rows to take
 * @param entity the table whose rows are followed
 * @param omitted names of tables that are not loaded, because they are for other values of options
 * @param counted the rows that the key {@code documents} counts: where tables have parents, those
 *     of tables that are left out as well
 */
public record Parameters(
    Map<String, Parameter> byName,
    List<Table> tables,
    boolean existing,
    Map<String, Integer> queries,
    Optional<Entity> entity,
    List<String> omitted,
    long counted) {

  public Parameters {
    byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    tables = List.copyOf(tables);
    queries = Collections.unmodifiableMap(new LinkedHashMap<>(queries));
    omitted = List.copyOf(omitted);
  }

  /** The value of an option of the folder. */
  record Option(Object value) implements Parameter {
    @Override
    public ValueType type() {
      return value instanceof Long ? ValueType.INTEGER : ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return value;
    }
  }

  /**
   * Reads the sections {@code workload.parameters} and {@code workload.data}.
   *
   * @param folder that holds the CSV files
   * @param switches the options of the folder
   * @throws ConfigException all problems of the sections and the CSV files
   */
  public static Parameters read(
      Options parameters, Options data, Path folder, Switches switches, long seed) {
    return read(parameters, data, folder, switches, seed, System.currentTimeMillis());
  }

  /**
   * As above.
   *
   * @param nowMillis the reference time for relative times of columns
   */
  static Parameters read(
      Options parameters, Options data, Path folder, Switches switches, long seed, long nowMillis) {
    return new Reader(parameters, data, folder, switches, seed, nowMillis).read();
  }

  /**
   * Returns the parameters with the results of {@link #queries}, in the same order.
   *
   * @throws ConfigException a query returned no value, or a value that is not of the parameter's
   *     type
   */
  public Parameters with(Map<String, List<Object>> values) {
    Map<String, Parameter> filled = new LinkedHashMap<>(byName);
    List<ConfigException> problems = new ArrayList<>();
    values.forEach(
        (name, returned) -> {
          try {
            Lists.Asked query = (Lists.Asked) filled.get(name);
            filled.put(name, query.with(Reader.PARAMETERS + "." + name, returned));
          } catch (ConfigException e) {
            problems.addAll(e.problems());
          }
        });
    if (!problems.isEmpty()) {
      throw ConfigException.of(problems);
    }
    return new Parameters(filled, tables, existing, queries, entity, omitted, counted);
  }

  /** A parameter's name, and those of the fields after it. */
  static List<String> path(String name) {
    return List.of(name.split("\\.", -1));
  }

  /** The value of a parameter, or of a field of it, for others of the same call. */
  static Optional<Siblings.OfCall> sibling(String name, Parameter parameter) {
    List<String> path = path(name);
    List<String> fields = path.subList(1, path.size());
    return (fields.isEmpty() ? Optional.of(parameter) : Composites.field(parameter, fields))
        .map(part -> new Siblings.OfCall(path.get(0), fields, part.type()));
  }

  /**
   * The same with a parameter for each field that statements name, such as {@code doc.title}, and
   * for each column of the entity, such as {@code posts.title}.
   */
  public Parameters withFields(Collection<String> names) {
    Map<String, Parameter> all = new LinkedHashMap<>(byName);
    Set<String> needed = new LinkedHashSet<>(names);
    byName.values().stream().flatMap(Parameter::needs).forEach(needed::add);
    for (String name : needed) {
      Parameter object = byName.get(path(name).get(0));
      if (object != null && !all.containsKey(name)) {
        List<String> path = path(name);
        Composites.element(path.get(0), object, path.subList(1, path.size()))
            .or(() -> sibling(name, object).map(part -> new Siblings.Copy(part, 1)))
            .ifPresent(part -> all.put(name, part));
      }
      entity.flatMap(one -> one.named(path(name))).ifPresent(part -> all.put(name, part));
    }
    return new Parameters(all, tables, existing, queries, entity, omitted, counted);
  }

  /** The names with those of the parameters that they need, which come before them. */
  public Set<String> withNeeded(Collection<String> names) {
    Set<String> all = new LinkedHashSet<>();
    names.forEach(name -> need(name, all));
    return all;
  }

  private void need(String name, Set<String> all) {
    if (byName.containsKey(name)) {
      byName.get(name).needs().forEach(needed -> need(needed, all));
    }
    all.add(name);
  }

  /**
   * The description for the run bundle: rows by table; source, type, number and hash of each list
   * of values, never the values.
   */
  public Map<String, Object> describe() {
    Map<String, Object> rows = new LinkedHashMap<>();
    Map<String, Object> lists = new LinkedHashMap<>();
    for (Table table : tables) {
      rows.put(table.table(), table.rows());
      for (Column column : table.made()) {
        list(column.values())
            .ifPresent(list -> lists.put(table.table() + "." + column.name(), list.describe()));
      }
    }
    byName.forEach(
        (name, parameter) -> list(parameter).ifPresent(list -> lists.put(name, list.describe())));
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("existing", existing);
    all.put("tables", rows);
    all.put("lists", lists);
    return all;
  }

  private static Optional<ValueList> list(Parameter parameter) {
    if (parameter instanceof Lists.Listed listed) {
      return Optional.of(listed.list());
    }
    if (parameter instanceof Lists.Query query) {
      return query.list();
    }
    return parameter instanceof Composites.Nullable nullable
        ? list(nullable.of())
        : Optional.empty();
  }
}
