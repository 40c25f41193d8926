package io.shardload.driver.mongodb.statements;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBinarySubType;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/**
 * Values of {@link ValueType} as BSON and back. Integers are sent as int64, or with 32 bits as
 * int32, decimals as Decimal128, UUIDs as binary of subtype 4, timestamps as dates.
 */
final class Values {
  private static final int UUID_BYTES = 16;

  /** A date has milliseconds. */
  static final Equality EQUALITY =
      (wanted, field, parameter) ->
          Equality.EXACT.holds(
              wanted,
              field,
              parameter instanceof Instant time ? time.truncatedTo(ChronoUnit.MILLIS) : parameter);

  /** Of what shardload has written: a whole number is not stored as a fraction. */
  static final Equality STORED =
      (wanted, field, right) ->
          field instanceof BigDecimal == right instanceof BigDecimal
              && EQUALITY.holds(wanted, field, right);

  private Values() {}

  /**
   * A value to send.
   *
   * @throws IllegalArgumentException a decimal has more than 34 digits, or the class is none of
   *     {@link ValueType}
   */
  static BsonValue bson(Object value) {
    if (value == null) {
      return BsonNull.VALUE;
    }
    if (value instanceof Long number) {
      return new BsonInt64(number);
    }
    if (value instanceof Integer number) {
      return new BsonInt32(number);
    }
    if (value instanceof String text) {
      return new BsonString(text);
    }
    if (value instanceof UUID id) {
      return new BsonBinary(id);
    }
    if (value instanceof BigDecimal decimal) {
      return new BsonDecimal128(new Decimal128(decimal));
    }
    if (value instanceof Instant time) {
      return new BsonDateTime(time.toEpochMilli());
    }
    if (value instanceof Boolean flag) {
      return BsonBoolean.valueOf(flag);
    }
    if (value instanceof JsonElement json) {
      return ofJson(json);
    }
    if (value instanceof BsonValue captured) {
      return captured;
    }
    throw new IllegalArgumentException(value.getClass().getName() + " is not a parameter type");
  }

  private static BsonValue ofJson(JsonElement json) {
    if (json instanceof JsonObject object) {
      BsonDocument document = new BsonDocument(object.size());
      object.entrySet().forEach(e -> document.append(e.getKey(), ofJson(e.getValue())));
      return document;
    }
    if (json instanceof JsonArray list) {
      BsonArray array = new BsonArray(list.size());
      list.forEach(item -> array.add(ofJson(item)));
      return array;
    }
    if (json instanceof JsonPrimitive one) {
      if (one.isBoolean()) {
        return BsonBoolean.valueOf(one.getAsBoolean());
      }
      return one.isNumber() ? number(one.getAsNumber()) : new BsonString(one.getAsString());
    }
    return BsonNull.VALUE;
  }

  private static BsonValue number(Number number) {
    if (number instanceof Integer whole) {
      return new BsonInt32(whole);
    }
    try {
      return new BsonInt64(Long.parseLong(number.toString()));
    } catch (NumberFormatException e) {
      return new BsonDouble(Double.parseDouble(number.toString()));
    }
  }

  /**
   * A value that was read, in the class of its {@link ValueType}. Null for null and for what is
   * missing. Integers of any width come as {@link Long}, doubles as {@link BigDecimal} (those that
   * are not finite as {@link Double}); what has no type of its own, such as an ObjectId, comes as
   * text.
   */
  static Object java(BsonValue value) {
    if (value == null) {
      return null;
    }
    return switch (value.getBsonType()) {
      case NULL, UNDEFINED -> null;
      case INT32, INT64 -> value.asNumber().longValue();
      case STRING -> value.asString().getValue();
      case BOOLEAN -> value.asBoolean().getValue();
      case DATE_TIME -> Instant.ofEpochMilli(value.asDateTime().getValue());
      case DOUBLE -> decimal(value.asDouble().getValue());
      case DECIMAL128 -> decimal(value.asDecimal128().getValue());
      case BINARY -> binary(value.asBinary());
      case OBJECT_ID -> value.asObjectId().getValue().toHexString();
      default -> json(value);
    };
  }

  private static Object decimal(double value) {
    return Double.isFinite(value) ? (Object) BigDecimal.valueOf(value) : (Object) value;
  }

  private static Object decimal(Decimal128 value) {
    if (!value.isFinite()) {
      return value.doubleValue();
    }
    try {
      return value.bigDecimalValue();
    } catch (ArithmeticException e) {
      // A negative zero, which BigDecimal does not have.
      return BigDecimal.ZERO;
    }
  }

  private static Object binary(BsonBinary value) {
    boolean standard = value.getType() == BsonBinarySubType.UUID_STANDARD.getValue();
    return standard && value.getData().length == UUID_BYTES
        ? value.asUuid()
        : Base64.getEncoder().encodeToString(value.getData());
  }

  private static Object json(BsonValue value) {
    return JsonParser.parseString(new BsonDocument("v", value).toJson()).getAsJsonObject().get("v");
  }

  /** Some value of a type, for looking at a statement without a call. */
  static BsonValue sample(ValueType type) {
    return switch (type) {
      case INTEGER, CAPTURED -> new BsonInt64(1);
      case DECIMAL -> new BsonDecimal128(new Decimal128(1));
      case UUID -> new BsonBinary(new UUID(0, 1));
      case TEXT -> new BsonString("a");
      case TIMESTAMP -> new BsonDateTime(0);
      case BOOLEAN -> BsonBoolean.TRUE;
      case JSON -> new BsonDocument("a", new BsonInt64(1));
      case LIST -> new BsonArray(List.of(new BsonInt64(1)));
    };
  }
}
