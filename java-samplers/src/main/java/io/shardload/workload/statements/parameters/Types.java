package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The types of parameters and columns, by the key {@code type}, with their keys and defaults.
 *
 * <ul>
 *   <li>{@code integer}: {@code min} (0) to {@code max} (required), both included. {@code
 *       distribution}: {@code uniform} (default); {@code zipfian} with {@code exponent} (0.99), the
 *       smallest most often; {@code normal} with {@code mean} (the middle) and {@code deviation} (a
 *       sixth of the range), cut off at both ends
 *   <li>{@code decimal}: the same with {@code scale} digits after the point (2)
 *   <li>{@code uuid}: version 4; in a call that writes, a value that no other call of the data set
 *       has
 *   <li>{@code text}: ASCII of {@code length} characters (required; a number, or {@code [least,
 *       most]}); {@code compressibility} (2.0): target ratio of size over compressed size, 1.3 to 4
 *   <li>{@code word}: one of {@code words} (required); {@code distribution}: uniform or zipfian,
 *       the first most often
 *   <li>{@code timestamp}: {@code from} (0s) to {@code to} (0s), in milliseconds; each a time
 *       relative to now, such as {@code -7d}, or an instant, such as {@code 2026-01-31T12:00:00Z}.
 *       Now is the time of the call; for a column, the time at which the file was read for the load
 *   <li>{@code boolean}: {@code true} in percent (50)
 *   <li>{@code json}: an object with {@code fields} (required), each with a type of its own
 *   <li>{@code sequential}: whole numbers upwards {@code from} (1), none twice in the data set; in
 *       a column, the row's number. A parameter may have {@code from: query}: it begins at the
 *       number that {@code queries/<parameter>} returns. Or, for a parameter, the values of {@code
 *       table} and {@code column} in the rows after the loaded rows
 *   <li>{@code reference}: the value of {@code table} and {@code column} in one of the loaded rows.
 *       {@code distribution}: uniform; zipfian, where the same rows, spread over the whole table,
 *       are hot for all references to it; for parameters {@code latest}: by Zipf's law of age, the
 *       newest row most often, including rows that the generator has added
 *   <li>{@code csv}: {@code column} of {@code file}, a CSV file of the folder, read {@code as}
 *       (text) integer, decimal, text, uuid, timestamp or boolean. {@code distribution}: uniform;
 *       zipfian, the first most often; {@code sequential}: each once. A column with fewer values
 *       than rows is refused. If a parameter has run out of values, the call fails before it is
 *       sent ({@link IllegalStateException})
 *   <li>{@code query}: for parameters, the first column of the rows of {@code queries/<parameter>},
 *       at most {@code sample} rows (10000), read {@code as} (text); {@code distribution}: uniform;
 *       zipfian, the first most often
 * </ul>
 *
 * @param seed of the workload
 * @param nowMillis now, for the timestamps of columns
 */
record Types(References.Targets targets, CsvFiles files, long seed, long nowMillis) {
  private static final String TYPE = "type";
  private static final String FIELDS = "fields";
  private static final List<String> NAMES =
      List.of(
          "integer",
          "decimal",
          "uuid",
          "text",
          "word",
          "timestamp",
          "boolean",
          "json",
          "sequential",
          "reference",
          "csv",
          "query");

  /**
   * Reads one.
   *
   * @param problems receives the problems
   * @return empty if it has a problem, or if the referenced column has one
   */
  Optional<Parameter> read(Spec spec, List<ConfigException> problems) {
    Optional<Parameter> parameter = Optional.empty();
    boolean known = false;
    if (spec.sound() && spec.requires(TYPE)) {
      String type = spec.text(TYPE, "");
      known = NAMES.contains(type);
      if (!known && spec.sound()) {
        spec.unknown(TYPE, "type", type, NAMES);
      }
      try {
        parameter = known ? make(type, spec) : Optional.empty();
      } catch (ConfigException e) {
        spec.problems(e.problems());
      }
    }
    // For an unknown type no key is known.
    problems.addAll(known ? spec.end() : spec.problems());
    return spec.sound() ? parameter : Optional.empty();
  }

  private Optional<Parameter> make(String type, Spec spec) {
    return switch (type) {
      case "integer" -> Optional.of(Numbers.integer(spec));
      case "decimal" -> Optional.of(Numbers.decimal(spec));
      case "uuid" -> Optional.of(new Scalars.OfUuid(spec.use().ofRows()));
      case "text" -> Optional.of(Scalars.text(spec));
      case "word" -> Optional.of(Scalars.word(spec));
      case "timestamp" -> Optional.of(Scalars.timestamp(spec, nowMillis));
      case "boolean" -> Optional.of(Scalars.bool(spec));
      case "json" -> json(spec);
      case "sequential" -> References.sequential(spec, targets);
      case "reference" -> References.reference(spec, targets, seed);
      case "csv" -> Lists.csv(spec, files);
      default -> Optional.of(Lists.query(spec));
    };
  }

  private Optional<Parameter> json(Spec spec) {
    JsonObject sections = spec.map(FIELDS);
    List<Parameter> fields = new ArrayList<>();
    for (Map.Entry<String, JsonElement> entry : sections.entrySet()) {
      Spec field =
          new Spec(
              spec.path() + "." + FIELDS + "." + entry.getKey(),
              entry.getValue(),
              spec.use().field());
      List<ConfigException> found = new ArrayList<>();
      read(field, found).ifPresent(fields::add);
      spec.problems(found);
      if (field.isDated()) {
        spec.dated();
      }
    }
    return fields.size() == sections.size()
        ? Optional.of(new Scalars.OfJson(List.copyOf(sections.keySet()), List.copyOf(fields)))
        : Optional.empty();
  }
}
