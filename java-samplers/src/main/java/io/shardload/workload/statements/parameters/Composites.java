package io.shardload.workload.statements.parameters;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;
import io.shardload.workload.statements.port.Values;
import java.util.List;
import java.util.Optional;

/** The types {@code json} and {@code list}: values that are made of other values. */
final class Composites {
  private static final String LENGTH = "length";
  private static final String DISTINCT = "distinct";
  private static final String SORTED = "sorted";
  private static final int MOST_LENGTH = 1000;

  /** A list of distinct values is drawn in at most so many draws for each of its values. */
  private static final int DRAWS_EACH = 1000;

  private Composites() {}

  /** A JSON object with a value per field. Instants and uuids are strings in it. */
  record OfJson(List<String> names, List<Parameter> parts) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.JSON;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      JsonObject json = new JsonObject();
      for (int i = 0; i < parts.size(); i++) {
        json.add(names.get(i), Values.json(parts.get(i).draw(draws, occasion)));
      }
      return json;
    }
  }

  /**
   * A JSON array of values of one type.
   *
   * @param sorted the field by which its objects are in order; null if any order is right
   */
  private record OfList(Spec.Range length, boolean distinct, Parameter of, OfField sorted)
      implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.LIST;
    }

    @Override
    public List<Parameter> parts() {
      return List.of(of);
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long values = length.draw(draws);
      JsonArray list = new JsonArray((int) values);
      for (long tries = 0; list.size() < values; tries++) {
        if (tries > values * DRAWS_EACH) {
          throw new IllegalStateException(
              "a list of %d values got only %d distinct ones in %d draws"
                  .formatted(values, list.size(), tries));
        }
        JsonElement value = Values.json(of.draw(draws, occasion));
        if (!distinct || !list.contains(value)) {
          list.add(value);
        }
      }
      if (sorted != null) {
        list.asList()
            .sort((one, other) -> Values.compare(sorted.in(one), sorted.in(other)).orElse(0));
      }
      return list;
    }
  }

  /**
   * A field of an object, with the value that it has there.
   *
   * @param path names of the field and of those in it
   * @param type as in JSON, where instants and uuids are texts
   * @param parts the generator of the value
   */
  private record OfField(OfJson object, List<String> path, ValueType type, List<Parameter> parts)
      implements Parameter {
    @Override
    public Object draw(Draws draws, Occasion occasion) {
      int index = object.names.indexOf(path.get(0));
      // The fields before it take their draws before it does.
      for (int i = 0; i < index; i++) {
        object.parts.get(i).draw(draws, occasion);
      }
      JsonElement value = Values.json(object.parts.get(index).draw(draws, occasion));
      return at(value, path.subList(1, path.size()), type);
    }

    /** The field in an object that was drawn. */
    Object in(JsonElement drawn) {
      return at(drawn, path, type);
    }
  }

  /**
   * A value within a value; null where there is none.
   *
   * @param path names of fields
   */
  static Object at(JsonElement json, List<String> path, ValueType type) {
    JsonElement value = json;
    for (String name : path) {
      value = value instanceof JsonObject inner ? inner.get(name) : JsonNull.INSTANCE;
    }
    if (value == null || value.isJsonNull()) {
      return null;
    }
    return switch (type) {
      case INTEGER -> value.getAsLong();
      case DECIMAL -> value.getAsBigDecimal();
      case BOOLEAN -> value.getAsBoolean();
      case TEXT -> value.getAsString();
      default -> value;
    };
  }

  /**
   * The generator of a field of an object.
   *
   * @param path names of the field and of those in it
   * @return empty if there is none, or if the parameter is not an object
   */
  static Optional<Parameter> field(Parameter object, List<String> path) {
    return fieldOf(object, path).map(field -> field);
  }

  private static Optional<OfField> fieldOf(Parameter object, List<String> path) {
    Parameter at = object;
    for (String name : path) {
      if (!(whole(at) instanceof OfJson json) || !json.names().contains(name)) {
        return Optional.empty();
      }
      at = json.parts().get(json.names().indexOf(name));
    }
    ValueType type = at.type();
    boolean text = type == ValueType.UUID || type == ValueType.TIMESTAMP;
    return Optional.of(
        new OfField((OfJson) object, path, text ? ValueType.TEXT : type, List.of(at)));
  }

  /**
   * The generator of a field of each object in a list that is in order.
   *
   * @param name of the list
   * @return empty if there is none, or if the parameter is not such a list
   */
  static Optional<Parameter> element(String name, Parameter list, List<String> path) {
    return list instanceof OfList of && of.sorted != null
        ? fieldOf(of.of, path)
            .map(field -> new Children.OfEachElement(name, of.length, path, field.type()))
        : Optional.empty();
  }

  private static Parameter whole(Parameter parameter) {
    return parameter instanceof Nullable nullable ? nullable.of() : parameter;
  }

  /** A share of the values is NULL. */
  record Nullable(Parameter of, double share) implements Parameter {
    @Override
    public ValueType type() {
      return of.type();
    }

    @Override
    public List<Parameter> parts() {
      return List.of(of);
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return draws.nextDouble() < share ? null : of.draw(draws, occasion);
    }
  }

  /** A list of the values that {@code of} generates. */
  static Parameter list(Spec spec, Parameter of) {
    Spec.Range length = spec.range(LENGTH, MOST_LENGTH, "values");
    boolean distinct = spec.flag(DISTINCT, false);
    if (spec.sound() && distinct && of.needs().findAny().isEmpty()) {
      probe(spec, new OfList(new Spec.Range(length.most(), length.most()), true, of, null));
    }
    return new OfList(length, distinct, of, sorted(spec, of));
  }

  private static OfField sorted(Spec spec, Parameter of) {
    String name = spec.text(SORTED, "");
    Optional<OfField> field = name.isEmpty() ? Optional.empty() : fieldOf(of, List.of(name));
    if (!name.isEmpty()
        && (field.isEmpty() || field.get().parts().get(0).type() == ValueType.JSON)) {
      spec.problem(
          SORTED, "\"%s\" is not a field with one value of the list's objects".formatted(name));
      return null;
    }
    return field.orElse(null);
  }

  /** Refuses what a run would find: too few distinct values for the longest list. */
  private static void probe(Spec spec, OfList longest) {
    try {
      longest.draw(new Draws(), Occasion.row(0));
    } catch (IllegalStateException e) {
      spec.problem(DISTINCT, e.getMessage());
    }
  }
}
