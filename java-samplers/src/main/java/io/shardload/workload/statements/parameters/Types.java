package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The types of parameters and columns, by the key {@code type}. {@code docs/own-workload.md} lists
 * their keys, defaults and distributions.
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
