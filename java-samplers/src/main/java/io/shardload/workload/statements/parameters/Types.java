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
record Types(
    References.Targets targets, Siblings.Lookup ofCall, CsvFiles files, long seed, long nowMillis) {
  private static final String TYPE = "type";
  private static final String FIELDS = "fields";
  private static final String OF = "of";
  private static final String NULLS = "nulls";
  private static final double ALL_PERCENT = 100;
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
          "list",
          "copy",
          "code",
          "like",
          "permuted",
          "sequential",
          "edition",
          "parent",
          "position",
          "children",
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
        parameter = known ? make(type, spec).map(made -> nullable(spec, made)) : parameter;
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
      case "text" -> Optional.of(Scalars.text(spec, seed));
      case "word" -> Optional.of(Scalars.word(spec));
      case "timestamp" -> Optional.of(Scalars.timestamp(spec, nowMillis));
      case "boolean" -> Optional.of(Scalars.bool(spec));
      case "json" -> json(spec);
      case "list" -> list(spec);
      case "copy" -> Siblings.copy(spec, siblings(spec));
      case "code" -> Codes.of(spec, targets, seed);
      case "like" -> Entity.like(spec, targets.entity());
      case "permuted" -> Optional.of(References.permuted(spec, seed));
      case "edition" -> edition(spec);
      case "parent", "position", "children" -> related(type, spec);
      case "sequential" -> References.sequential(spec, targets);
      case "reference" ->
          References.reference(spec, targets, seed)
              .flatMap(made -> Siblings.without(spec, siblings(spec), made));
      case "csv" -> Lists.csv(spec, files);
      default -> Optional.of(Lists.query(spec));
    };
  }

  private static Optional<Parameter> edition(Spec spec) {
    if (spec.use() != Spec.Use.COLUMN) {
      spec.problem(TYPE, "edition is allowed only for columns");
    }
    return Optional.of(new Entity.OfEdition(Numbers.Width.read(spec)));
  }

  private Optional<Parameter> related(String type, Spec spec) {
    if (!spec.use().ofRows()) {
      spec.problem(TYPE, type + " is allowed only for columns");
    }
    return spec.sound() ? targets.related(type, spec) : Optional.empty();
  }

  private Siblings.Lookup siblings(Spec spec) {
    return spec.use().ofRows() ? targets::sibling : ofCall;
  }

  private Parameter nullable(Spec spec, Parameter made) {
    if (!spec.has(NULLS)) {
      return made;
    }
    double percent = spec.number(NULLS, 0, 0, ALL_PERCENT);
    if (made.takesFresh() || made instanceof Lists.Asked) {
      spec.problem(NULLS, "is not allowed where each value is used once, nor for a query");
    }
    return percent == 0 ? made : new Composites.Nullable(made, percent / ALL_PERCENT);
  }

  private Optional<Parameter> json(Spec spec) {
    JsonObject sections = spec.map(FIELDS);
    List<Parameter> fields = new ArrayList<>();
    for (Map.Entry<String, JsonElement> entry : sections.entrySet()) {
      part(spec, FIELDS + "." + entry.getKey(), entry.getValue()).ifPresent(fields::add);
    }
    return fields.size() == sections.size()
        ? Optional.of(new Composites.OfJson(List.copyOf(sections.keySet()), List.copyOf(fields)))
        : Optional.empty();
  }

  private Optional<Parameter> list(Spec spec) {
    if (!spec.requires(OF)) {
      return Optional.empty();
    }
    return part(spec, OF, spec.element(OF)).map(of -> Composites.list(spec, of));
  }

  /** A value within the value. */
  private Optional<Parameter> part(Spec spec, String key, JsonElement element) {
    List<ConfigException> found = new ArrayList<>();
    Optional<Parameter> part =
        read(new Spec(spec.path() + "." + key, element, spec.use().field()), found);
    spec.problems(found);
    return part;
  }
}
