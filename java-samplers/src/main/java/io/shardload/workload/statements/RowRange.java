package io.shardload.workload.statements;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many rows a statement may return or change.
 *
 * @param fewest -1 if any number is right
 */
record RowRange(long fewest, long most) {
  static final RowRange ANY = new RowRange(-1, Long.MAX_VALUE);

  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,18})(?:(\\.\\.)(\\d{1,18})?)?");

  /** Reads the key {@code rows}; any if it is absent. */
  static RowRange read(Options section) {
    String text = section.text("rows", "any");
    return switch (text) {
      case "any" -> ANY;
      case "none" -> new RowRange(0, 0);
      case "one" -> new RowRange(1, 1);
      case "zero-or-one" -> new RowRange(0, 1);
      default -> numbers(section, text);
    };
  }

  private static RowRange numbers(Options section, String text) {
    Matcher matcher = NUMBERS.matcher(text);
    if (!matcher.matches()) {
      throw new ConfigException(
          section.pathOf("rows"),
          "'"
              + text
              + "' is not one of: one, zero-or-one, none, any, a number (5), a range (1..100,"
              + " 1..)");
    }
    long fewest = Long.parseLong(matcher.group(1));
    long most =
        matcher.group(2) == null
            ? fewest
            : matcher.group(3) == null ? Long.MAX_VALUE : Long.parseLong(matcher.group(3));
    if (most < fewest) {
      throw new ConfigException(
          section.pathOf("rows"), text + " has a lower bound above its upper bound");
    }
    return new RowRange(fewest, most);
  }
}
