package io.shardload.workload.statements.parameters;

import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** Converts text, and values that drivers return, to values of a type. */
public final class Conversion {
  private static final Pattern UUID_FORM =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final Pattern DECIMAL_FORM = Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)");

  /** The types to which text can be converted. */
  private static final List<ValueType> TYPES =
      List.of(
          ValueType.INTEGER,
          ValueType.DECIMAL,
          ValueType.TEXT,
          ValueType.UUID,
          ValueType.TIMESTAMP,
          ValueType.BOOLEAN);

  private Conversion() {}

  /** Their names, for the key {@code as}. */
  public static List<String> labels() {
    return TYPES.stream().map(ValueType::label).toList();
  }

  public static ValueType type(String label) {
    return Arrays.stream(ValueType.values())
        .filter(type -> type.label().equals(label))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Reads a text; empty if it is not of the type. Surrounding white space matters only for type
   * text.
   */
  public static Optional<Object> read(String text, ValueType type) {
    if (type == ValueType.TEXT) {
      return Optional.of(text);
    }
    String stripped = text.strip();
    try {
      return switch (type) {
        case INTEGER -> Optional.of(Long.parseLong(stripped));
        case DECIMAL ->
            DECIMAL_FORM.matcher(stripped).matches()
                ? Optional.of(new BigDecimal(stripped))
                : Optional.empty();
        case UUID ->
            UUID_FORM.matcher(stripped).matches()
                ? Optional.of(UUID.fromString(stripped))
                : Optional.empty();
        case TIMESTAMP -> Instants.parse(stripped).map(instant -> instant);
        case BOOLEAN -> bool(stripped.toLowerCase(Locale.ROOT));
        default -> Optional.empty();
      };
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<Object> bool(String text) {
    return text.equals("true") || text.equals("false")
        ? Optional.of(Boolean.parseBoolean(text))
        : Optional.empty();
  }

  /**
   * Converts a value that a driver returned to the type; empty if this is not possible without
   * loss.
   */
  public static Optional<Object> of(Object value, ValueType type) {
    return switch (type) {
      case INTEGER -> number(value).flatMap(Conversion::whole);
      case DECIMAL -> number(value).map(number -> number);
      case TIMESTAMP -> instant(value);
      case BOOLEAN -> value instanceof Boolean ? Optional.of(value) : text(value, type);
      case UUID -> value instanceof UUID ? Optional.of(value) : text(value, type);
      case TEXT -> text(value);
      default -> Optional.empty();
    };
  }

  /** Floating-point numbers are refused: the server writes them differently. */
  private static Optional<Object> text(Object value) {
    if (value instanceof BigDecimal decimal) {
      return Optional.of(decimal.toPlainString());
    }
    boolean floating = value instanceof Double || value instanceof Float;
    return value instanceof String
            || (value instanceof Number && !floating)
            || value instanceof UUID
        ? Optional.of(value.toString())
        : Optional.empty();
  }

  private static Optional<Object> text(Object value, ValueType type) {
    return value instanceof String text ? read(text, type) : Optional.empty();
  }

  private static Optional<Object> instant(Object value) {
    if (value instanceof Instant instant) {
      return Optional.of(instant).filter(Instants::supported).map(time -> time);
    }
    return value instanceof OffsetDateTime time
        ? instant(time.toInstant())
        : text(value, ValueType.TIMESTAMP);
  }

  private static Optional<BigDecimal> number(Object value) {
    if (value instanceof BigDecimal decimal) {
      return Optional.of(decimal);
    }
    if (value instanceof BigInteger integer) {
      return Optional.of(new BigDecimal(integer));
    }
    if (value instanceof Number number) {
      return Double.isFinite(number.doubleValue())
          ? Optional.of(new BigDecimal(number.toString()))
          : Optional.empty();
    }
    return text(value, ValueType.DECIMAL).map(decimal -> (BigDecimal) decimal);
  }

  private static Optional<Object> whole(BigDecimal number) {
    try {
      return Optional.of(number.longValueExact());
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** Points in time in the notations of users and YAML. */
  static final class Instants {
    private static final int DATE_LENGTH = "2026-01-31".length();

    /** The range that all systems support. */
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private Instants() {}

    /**
     * Reads {@code 2026-01-31T12:00:00Z}, another offset or none (then UTC), a space instead of the
     * T, or a date (then its midnight in UTC). Empty if it is none of the years 1 to 9999.
     */
    static Optional<Instant> parse(String text) {
      String iso = text.strip().replace(' ', 'T');
      try {
        return Optional.of(read(iso)).filter(Instants::supported);
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }

    /** Whether it is of the years 1 to 9999; infinity is not. */
    static boolean supported(Instant instant) {
      return !instant.isBefore(EARLIEST) && instant.isBefore(END);
    }

    private static Instant read(String iso) {
      if (iso.length() <= DATE_LENGTH) {
        return LocalDate.parse(iso).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      boolean offset = iso.endsWith("Z") || iso.substring(DATE_LENGTH).matches(".*[+-].*");
      return offset
          ? OffsetDateTime.parse(iso).toInstant()
          : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
    }
  }
}
