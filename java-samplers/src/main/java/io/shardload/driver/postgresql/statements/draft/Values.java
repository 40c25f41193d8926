package io.shardload.driver.postgresql.statements.draft;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** How the values of columns are made: the entries of {@code workload.yml}. */
final class Values {
  private static final int MOST_LENGTH = 1 << 20;
  private static final int MOST_LISTED = 1000;
  private static final int LONGEST_FORMAT = 40;
  private static final int MOST_DIGITS = 18;

  /** The object in which a text is the only field has so many more bytes. */
  private static final int AROUND = 12;

  private static final long FIRST_SECOND = -62_135_596_800L;
  private static final long LAST_SECOND = 253_402_300_799L;
  private static final String YEAR_AGO = "2025-01-01T00:00:00Z";
  private static final String NEW_YEAR = "2026-01-01T00:00:00Z";

  private Values() {}

  /** A mapping from its content, as a YAML file has it on one line. */
  static JsonObject map(String content) {
    return JsonParser.parseString("{" + content + "}").getAsJsonObject();
  }

  /** A name or text that may need quotes. */
  static String quoted(String text) {
    return new JsonPrimitive(text).toString();
  }

  /** The labels that an enum type has in the folder. */
  static List<String> labels(int number) {
    return IntStream.rangeClosed(1, number).mapToObj(i -> "label" + i).toList();
  }

  /** The values of a column that is neither distinct nor refers to another one. */
  static JsonObject of(Column column) {
    return withNulls(column, ofType(column));
  }

  /** The values of the column that it refers to. */
  static JsonObject reference(Column column) {
    return withNulls(column, row("reference", column.refers));
  }

  /** The values that a column has in rows of its table. */
  static JsonObject row(String type, Column column) {
    return map(
        "type: %s, table: %s, column: %s"
            .formatted(type, quoted(column.table.name), quoted(column.name)));
  }

  private static JsonObject withNulls(Column column, JsonObject values) {
    long rows = number(column, 0, 0);
    double missing = rows == 0 ? 0 : 100.0 * (rows - number(column, 1, 0)) / rows;
    if (!column.needed && missing > 0) {
      values.addProperty("nulls", BigDecimal.valueOf(missing).setScale(2, RoundingMode.HALF_UP));
    }
    return values;
  }

  private static JsonObject ofType(Column column) {
    if (column.labels > 0) {
      JsonObject word = map("type: word, words: %s".formatted(labels(column.labels)));
      return column.element.isEmpty() ? word : list(column, word);
    }
    if (column.becomesText() || column.type.equals("bytea")) {
      return text(lengths(column, 0), MOST_LENGTH);
    }
    return switch (column.type) {
      case "int2", "int4", "int8" -> whole(number(column, 2, 0), number(column, 3, 1000));
      case "numeric", "float4", "float8" -> decimal(column);
      case "timestamp", "timestamptz", "date" ->
          map(
              "type: timestamp, from: '%s', to: '%s'"
                  .formatted(instant(column, 2, YEAR_AGO), instant(column, 3, NEW_YEAR)));
      case "bool" ->
          map(
              "type: boolean, true: %d"
                  .formatted(100 * number(column, 2, 1) / Math.max(1, number(column, 1, 2))));
      case "uuid" -> map("type: uuid");
      case "json", "jsonb" ->
          map(
              "type: json, fields: {data: %s}"
                  .formatted(text(lengths(column, AROUND), MOST_LENGTH)));
      default ->
          column.isText() ? text(column) : column.element.isEmpty() ? other(column) : list(column);
    };
  }

  /** Of a type whose values are not generated. */
  private static JsonObject other(Column column) {
    column.table.edit(
        "column %s is of type %s: here it is text".formatted(column.name, column.shown));
    column.becomeText();
    return text(lengths(column, 0), MOST_LENGTH);
  }

  private static JsonObject list(Column column) {
    int length = (int) Math.max(1, Math.min(MOST_LENGTH, number(column, 4, 9)));
    return switch (column.element) {
      case "int2", "int4", "int8", "numeric", "float4", "float8" ->
          list(column, whole(0, (long) Math.pow(10, Math.min(length, 4)) - 1));
      case "text", "varchar", "bpchar" ->
          list(column, map("type: text, length: %d".formatted(elementLength(column, length))));
      case "bool" -> list(column, map("type: boolean"));
      case "uuid" -> list(column, map("type: uuid"));
      default -> other(column);
    };
  }

  private static int elementLength(Column column, int length) {
    return column.modifier < 0 ? length : Math.min(length, column.modifier - 4);
  }

  private static JsonObject list(Column column, JsonObject of) {
    long least = Math.min(MOST_LISTED, number(column, 2, 0));
    long most = Math.min(MOST_LISTED, number(column, 3, 3));
    return map("type: list, length: [%d, %d], of: %s".formatted(least, most, of));
  }

  private static JsonObject whole(long least, long most) {
    boolean far = most - least < 0 || most - least == Long.MAX_VALUE;
    return map(
        "type: integer, min: %d, max: %d"
            .formatted(far ? least / 2 : least, far ? most / 2 : most));
  }

  /** With the scale of the type; without one, with that of the values. */
  private static JsonObject decimal(Column column) {
    boolean limited = column.type.equals("numeric") && column.modifier >= 4;
    int digits = limited ? (column.modifier - 4) >> 16 & 0xFFFF : MOST_DIGITS;
    int ofType = (((column.modifier - 4) & 0x7FF) ^ 0x400) - 0x400;
    int scale = limited ? ofType : column.type.equals("numeric") ? (int) number(column, 4, 2) : 3;
    scale = Math.max(0, Math.min(scale, 9));
    BigDecimal bound = BigDecimal.TEN.pow(Math.max(0, Math.min(MOST_DIGITS, digits) - scale));
    BigDecimal least = bounded(column, 2, bound, BigDecimal.ZERO);
    BigDecimal most = bounded(column, 3, bound, digits > scale ? BigDecimal.ONE : BigDecimal.ZERO);
    return map(
        "type: decimal, min: %s, max: %s, scale: %d"
            .formatted(
                least.setScale(scale, RoundingMode.FLOOR).toPlainString(),
                most.setScale(scale, RoundingMode.CEILING).toPlainString(),
                scale));
  }

  private static BigDecimal bounded(Column column, int at, BigDecimal bound, BigDecimal otherwise) {
    String figure = figure(column, at);
    return figure.isEmpty() ? otherwise : new BigDecimal(figure).max(bound.negate()).min(bound);
  }

  private static String instant(Column column, int at, String otherwise) {
    String figure = figure(column, at);
    return figure.isEmpty()
        ? otherwise
        : Instant.ofEpochSecond(
                Math.max(FIRST_SECOND, Math.min(LAST_SECOND, new BigDecimal(figure).longValue())))
            .toString();
  }

  /** A number within a text where values repeat; their number is then that of the distinct ones. */
  private static JsonObject text(Column column) {
    int most = column.mostCharacters();
    long[] lengths = lengths(column, 0);
    long distinct = number(column, 3, 0);
    long digits = String.valueOf(distinct).length();
    long width = Math.max(digits, lengths.length == 0 ? 0 : lengths[3]);
    if (repeats(column) && lengths[3] > 0 && width <= Math.min(most, LONGEST_FORMAT)) {
      return map("type: integer, min: 1, max: %d, format: '%%0%dd'".formatted(distinct, width));
    }
    return column.type.equals("bpchar") && most < MOST_LENGTH
        ? map("type: text, length: %d".formatted(most))
        : text(lengths, most);
  }

  /** Whether a text occurs twice or more in the mean. */
  static boolean repeats(Column column) {
    long distinct = number(column, 3, 0);
    return distinct > 0 && distinct <= number(column, 1, 0) / 2;
  }

  /** A range if the lengths are about equally frequent, or else five of them. */
  private static JsonObject text(long[] found, int most) {
    long[] q = found.length == 0 ? new long[] {5, 0, 0, 10, 0, 0, 15} : found;
    long[] lengths = Stream.of(0, 1, 2, 3, 4, 5, 6).mapToLong(i -> Math.min(most, q[i])).toArray();
    long least = lengths[0];
    long range = lengths[6] - least;
    if (range == 0) {
      return map("type: text, length: %d".formatted(least));
    }
    return Math.abs(lengths[3] - least - range / 2) <= Math.max(4, range / 5)
        ? map("type: text, length: [%d, %d]".formatted(least, lengths[6]))
        : map(
            "type: text, lengths: %s"
                .formatted(Arrays.toString(Arrays.copyOfRange(lengths, 1, 6))));
  }

  /** Seven quantiles of the lengths; empty if they are not known. */
  private static long[] lengths(Column column, int less) {
    String figure = figure(column, 2);
    return !figure.startsWith("{")
        ? new long[0]
        : Stream.of(figure.substring(1, figure.length() - 1).split(","))
            .mapToLong(one -> Math.max(0, Math.min(MOST_LENGTH, Long.parseLong(one) - less)))
            .toArray();
  }

  private static String figure(Column column, int at) {
    return column.figures.length > at ? column.figures[at] : "";
  }

  private static long number(Column column, int at, long otherwise) {
    String figure = figure(column, at);
    return figure.isEmpty() ? otherwise : new BigDecimal(figure).longValue();
  }
}
