package io.shardload.driver.mongodb.statements.command;

import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationAlternate;
import com.mongodb.client.model.CollationCaseFirst;
import com.mongodb.client.model.CollationMaxVariable;
import com.mongodb.client.model.CollationStrength;
import io.shardload.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;

/**
 * The optional fields of a command as setters of the client's own options. Compiled once per
 * statement: a call applies only the existing fields.
 */
final class Setters<T> {
  private record Field<T>(Template value, BiConsumer<T, BsonValue> setter) {}

  private static final Map<String, BiConsumer<Collation.Builder, BsonValue>> COLLATION =
      Map.of(
          "locale", (c, v) -> c.locale(text(v)),
          "caseLevel", (c, v) -> c.caseLevel(flag(v)),
          "caseFirst", (c, v) -> c.collationCaseFirst(CollationCaseFirst.fromString(text(v))),
          "strength", (c, v) -> c.collationStrength(CollationStrength.fromInt(integer(v))),
          "numericOrdering", (c, v) -> c.numericOrdering(flag(v)),
          "alternate", (c, v) -> c.collationAlternate(CollationAlternate.fromString(text(v))),
          "maxVariable", (c, v) -> c.collationMaxVariable(CollationMaxVariable.fromString(text(v))),
          "normalization", (c, v) -> c.normalization(flag(v)),
          "backwards", (c, v) -> c.backwards(flag(v)));

  private final List<Field<T>> fields = new ArrayList<>();

  /**
   * Looks up the fields of a command.
   *
   * @throws IllegalArgumentException a field is none of these
   */
  Setters(Template command, Map<String, BiConsumer<T, BsonValue>> known, String... others) {
    for (String name : command.names()) {
      BiConsumer<T, BsonValue> setter = known.get(name);
      if (setter != null) {
        fields.add(new Field<>(command.field(name), setter));
      } else if (!List.of(others).contains(name)) {
        // The reader of a folder has refused what no variant of the command has.
        throw new IllegalArgumentException("\"" + name + "\" cannot be used here");
      }
    }
  }

  T apply(T options, BsonValue[] slots) {
    for (Field<T> field : fields) {
      field.setter.accept(options, field.value.bind(slots));
    }
    return options;
  }

  /** A whole number, as the driver takes it. */
  static int integer(BsonValue value) {
    if (!value.isNumber() || value.asNumber().longValue() != value.asNumber().intValue()) {
      throw new IllegalArgumentException("expected a whole number instead of " + value);
    }
    return value.asNumber().intValue();
  }

  static boolean flag(BsonValue value) {
    if (!value.isBoolean()) {
      throw new IllegalArgumentException("expected true or false instead of " + value);
    }
    return value.asBoolean().getValue();
  }

  static BsonDocument document(BsonValue value) {
    if (!value.isDocument()) {
      throw new IllegalArgumentException("expected a document instead of " + value);
    }
    return value.asDocument();
  }

  static String text(BsonValue value) {
    if (!value.isString()) {
      throw new IllegalArgumentException("expected a string instead of " + value);
    }
    return value.asString().getValue();
  }

  static List<BsonDocument> documents(BsonValue value) {
    return array(value).stream().map(Setters::document).toList();
  }

  static BsonArray array(BsonValue value) {
    if (!value.isArray()) {
      throw new IllegalArgumentException("expected an array instead of " + value);
    }
    return value.asArray();
  }

  /** An index by its name or by its key. */
  static void hint(BsonValue value, Consumer<String> name, Consumer<Bson> key) {
    if (value.isString()) {
      name.accept(value.asString().getValue());
    } else {
      key.accept(document(value));
    }
  }

  /** The field of a cursor, which may be empty. */
  static void batchSize(BsonValue cursor, IntConsumer size) {
    BsonValue given = document(cursor).get("batchSize");
    if (given != null) {
      size.accept(integer(given));
    }
  }

  static Collation collation(BsonValue value) {
    Collation.Builder collation = Collation.builder();
    for (Map.Entry<String, BsonValue> field : document(value).entrySet()) {
      String name = field.getKey();
      if (!COLLATION.containsKey(name)) {
        throw new IllegalArgumentException(
            ConfigException.unknown("", "field", name, COLLATION.keySet()).getMessage());
      }
      COLLATION.get(name).accept(collation, field.getValue());
    }
    return collation.build();
  }
}
