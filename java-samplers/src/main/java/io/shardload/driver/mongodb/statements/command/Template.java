package io.shardload.driver.mongodb.statements.command;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * BSON with placeholders for parameters. Parts without a parameter are created once and shared by
 * all calls, so the result must not be changed. Immutable and thread-safe.
 */
public abstract sealed class Template {
  private static final String PARAM = "$param";

  /** A document without fields. */
  static final Template EMPTY = new Fixed(new BsonDocument());

  private Template() {}

  /**
   * Reads a command in extended JSON.
   *
   * @param slots where the value of each parameter will be, by name
   * @throws IllegalArgumentException it is not extended JSON, or names a missing parameter
   */
  public static Template of(JsonObject command, Map<String, Integer> slots) {
    return of(parsed(command.toString()), slots);
  }

  private static BsonDocument parsed(String text) {
    try {
      return BsonDocument.parse(text);
    } catch (RuntimeException e) {
      // The parser passes on what the types behind it throw, such as that of an ObjectId.
      throw new IllegalArgumentException("is not extended JSON: " + e.getMessage(), e);
    }
  }

  private static Template of(BsonValue value, Map<String, Integer> slots) {
    if (value instanceof BsonDocument document) {
      return ofDocument(document, slots);
    }
    if (value instanceof BsonArray array) {
      List<Template> items = array.stream().map(item -> of(item, slots)).toList();
      return items.stream().allMatch(Fixed.class::isInstance)
          ? new Fixed(array)
          : new Several(items);
    }
    return new Fixed(value);
  }

  private static Template ofDocument(BsonDocument document, Map<String, Integer> slots) {
    if (document.size() == 1 && document.get(PARAM) instanceof BsonString name) {
      Integer slot = slots.get(name.getValue());
      if (slot == null) {
        throw new IllegalArgumentException(
            ConfigException.unknown("", "parameter", name.getValue(), slots.keySet()).getMessage());
      }
      return new Place(slot);
    }
    List<String> names = new ArrayList<>(document.size());
    List<Template> values = new ArrayList<>(document.size());
    document.forEach(
        (name, value) -> {
          names.add(name);
          values.add(of(value, slots));
        });
    return values.stream().allMatch(Fixed.class::isInstance)
        ? new Fixed(document)
        : new Fields(names.toArray(new String[0]), values.toArray(new Template[0]));
  }

  /** The value with these in the places of the parameters. */
  public abstract BsonValue bind(BsonValue[] slots);

  /**
   * The template of a field; null if there is none.
   *
   * @throws IllegalArgumentException this is not a document
   */
  abstract Template field(String name);

  /** The names of the fields, in their order. */
  abstract List<String> names();

  /** Whether this is an array, whatever a call brings. */
  boolean isArray() {
    return false;
  }

  /**
   * The templates of an array, in its order.
   *
   * @throws IllegalArgumentException this is not an array
   */
  abstract List<Template> items();

  /** A value without a parameter in it. */
  private static final class Fixed extends Template {
    private final BsonValue value;

    Fixed(BsonValue value) {
      this.value = value;
    }

    @Override
    public BsonValue bind(BsonValue[] slots) {
      return value;
    }

    @Override
    Template field(String name) {
      BsonValue found = document().get(name);
      return found == null ? null : new Fixed(found);
    }

    @Override
    List<String> names() {
      return List.copyOf(document().keySet());
    }

    @Override
    boolean isArray() {
      return value.isArray();
    }

    @Override
    List<Template> items() {
      if (!value.isArray()) {
        throw new IllegalArgumentException("expected an array instead of " + value);
      }
      return value.asArray().stream().map(item -> (Template) new Fixed(item)).toList();
    }

    private BsonDocument document() {
      if (!value.isDocument()) {
        throw new IllegalArgumentException("expected a document instead of " + value);
      }
      return value.asDocument();
    }
  }

  /** The place of a parameter. */
  private static final class Place extends Template {
    private final int slot;

    Place(int slot) {
      this.slot = slot;
    }

    @Override
    public BsonValue bind(BsonValue[] slots) {
      if (slots.length == 0) {
        throw new IllegalArgumentException("expected a constant instead of a parameter");
      }
      return slots[slot];
    }

    @Override
    Template field(String name) {
      throw new IllegalArgumentException("a parameter cannot replace this whole document");
    }

    @Override
    List<String> names() {
      throw new IllegalArgumentException("a parameter cannot replace this whole document");
    }

    @Override
    List<Template> items() {
      throw new IllegalArgumentException("a parameter cannot replace this whole array");
    }
  }

  /** A document with a parameter somewhere in it. */
  private static final class Fields extends Template {
    private final String[] names;
    private final Template[] values;

    Fields(String[] names, Template[] values) {
      this.names = names;
      this.values = values;
    }

    @Override
    public BsonValue bind(BsonValue[] slots) {
      BsonDocument document = new BsonDocument(names.length * 2);
      for (int i = 0; i < names.length; i++) {
        document.put(names[i], values[i].bind(slots));
      }
      return document;
    }

    @Override
    Template field(String name) {
      int index = names().indexOf(name);
      return index < 0 ? null : values[index];
    }

    @Override
    List<String> names() {
      return List.of(names);
    }

    @Override
    List<Template> items() {
      throw new IllegalArgumentException("expected an array instead of a document");
    }
  }

  /** An array with a parameter somewhere in it. */
  private static final class Several extends Template {
    private final List<Template> items;

    Several(List<Template> items) {
      this.items = items;
    }

    @Override
    public BsonValue bind(BsonValue[] slots) {
      BsonArray array = new BsonArray(items.size());
      for (Template item : items) {
        array.add(item.bind(slots));
      }
      return array;
    }

    @Override
    Template field(String name) {
      throw new IllegalArgumentException("expected a document instead of an array");
    }

    @Override
    List<String> names() {
      throw new IllegalArgumentException("expected a document instead of an array");
    }

    @Override
    boolean isArray() {
      return true;
    }

    @Override
    List<Template> items() {
      return items;
    }
  }
}
