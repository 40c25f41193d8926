package io.shardload.driver.mongodb.statements.command;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * BSON with placeholders for parameters, in the form that the reader of a folder demands. Parts
 * without a parameter are created once and shared by all calls, so the result must not be changed.
 * Immutable and thread-safe.
 */
public final class Template {
  private static final String PARAM = "$param";

  /** A document without fields. */
  static final Template EMPTY = new Template(new BsonDocument(), Map.of());

  /** Makes a value of those of a call. */
  @FunctionalInterface
  private interface Binding {
    BsonValue bind(BsonValue[] values);
  }

  private final BsonValue source;
  private final Map<String, Integer> slots;
  private final Binding binding;

  private Template(BsonValue source, Map<String, Integer> slots) {
    this.source = source;
    this.slots = slots;
    this.binding = binding(source, slots);
  }

  /**
   * Reads a command in extended JSON.
   *
   * @param slots where the value of each parameter will be, by name
   * @throws IllegalArgumentException it is not extended JSON, or names a missing parameter
   */
  public static Template of(JsonObject command, Map<String, Integer> slots) {
    return new Template(parsed(command.toString()), slots);
  }

  private static BsonDocument parsed(String text) {
    try {
      return BsonDocument.parse(text);
    } catch (RuntimeException e) {
      // The parser passes on what the types behind it throw, such as that of an ObjectId.
      throw new IllegalArgumentException("is not extended JSON: " + e.getMessage(), e);
    }
  }

  private static Binding binding(BsonValue source, Map<String, Integer> slots) {
    if (!hasParameter(source)) {
      return values -> source;
    }
    if (isParameter(source)) {
      return place(source.asDocument().getString(PARAM).getValue(), slots);
    }
    if (source instanceof BsonArray array) {
      Binding[] items = bindings(array, slots);
      return values -> {
        BsonArray bound = new BsonArray(items.length);
        for (Binding item : items) {
          bound.add(item.bind(values));
        }
        return bound;
      };
    }
    String[] names = source.asDocument().keySet().toArray(String[]::new);
    Binding[] fields = bindings(source.asDocument().values(), slots);
    return values -> {
      BsonDocument bound = new BsonDocument(names.length * 2);
      for (int i = 0; i < names.length; i++) {
        bound.put(names[i], fields[i].bind(values));
      }
      return bound;
    };
  }

  private static Binding[] bindings(Collection<BsonValue> sources, Map<String, Integer> slots) {
    return sources.stream().map(source -> binding(source, slots)).toArray(Binding[]::new);
  }

  private static Binding place(String name, Map<String, Integer> slots) {
    Integer slot = slots.get(name);
    if (slot == null) {
      throw new IllegalArgumentException(
          ConfigException.unknown("", "parameter", name, slots.keySet()).getMessage());
    }
    return values -> values[slot];
  }

  private static boolean isParameter(BsonValue source) {
    return source instanceof BsonDocument document
        && document.size() == 1
        && document.get(PARAM) instanceof BsonString;
  }

  private static boolean hasParameter(BsonValue source) {
    if (source instanceof BsonArray array) {
      return array.stream().anyMatch(Template::hasParameter);
    }
    return isParameter(source)
        || (source instanceof BsonDocument document
            && document.values().stream().anyMatch(Template::hasParameter));
  }

  /** The value with these in the places of the parameters. */
  public BsonValue bind(BsonValue[] values) {
    return binding.bind(values);
  }

  /** The same of a document. */
  public BsonDocument document(BsonValue[] values) {
    return Setters.document(bind(values));
  }

  /** The template of a field; null if there is none. */
  Template field(String name) {
    BsonValue found = Setters.document(source).get(name);
    return found == null ? null : new Template(found, slots);
  }

  /** Whether a flag is there and true. Its value is a constant. */
  boolean has(String flag) {
    Template found = field(flag);
    return found != null && Setters.flag(found.source);
  }

  /** Whether a number is 0. Its value is a constant. */
  boolean isZero(String number) {
    return Setters.integer(field(number).source) == 0;
  }

  /** The field, or an empty document where it is not there. */
  Template orEmpty(String name) {
    Template found = field(name);
    return found == null ? EMPTY : found;
  }

  /** The names of the fields, in their order. */
  List<String> names() {
    return List.copyOf(Setters.document(source).keySet());
  }

  /** Whether this is an array, whatever a call brings. */
  boolean isArray() {
    return source.isArray();
  }

  /** The templates of an array, in its order. */
  List<Template> items() {
    return Setters.array(source).stream().map(item -> new Template(item, slots)).toList();
  }
}
