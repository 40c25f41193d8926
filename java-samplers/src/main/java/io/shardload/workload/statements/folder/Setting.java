package io.shardload.workload.statements.folder;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.config.Units;
import java.util.List;
import java.util.Optional;

/**
 * How an option gets its value from elsewhere than {@code workload.options}.
 *
 * @param key of the configuration that sets it, such as {@code schema.index}; empty if there is
 *     none
 * @param bytes whether it is a size, such as {@code 2KiB}
 * @param least number that it takes; another value has no bounds
 * @param most number that it takes
 * @param per documents that raise its default by one; 0 if the default is fixed. There are never
 *     more than documents
 * @param standsFor what files get in place of a value
 */
record Setting(
    String key, boolean bytes, double least, double most, long per, JsonObject standsFor) {
  private static final String KEY = "key";
  private static final String UNIT = "unit";
  private static final String BYTES = "bytes";
  private static final String PER = "one-per";
  private static final String DOCUMENTS = "documents";
  private static final long MOST_PER = 1_000_000_000;
  private static final String FORM = "(workload\\.data|schema)\\.[a-z][a-z0-9-]*";

  /** Reads it from the option's section. */
  static Setting read(Options section) {
    String key = section.text(KEY, "");
    if (!key.isEmpty() && !key.matches(FORM)) {
      throw new ConfigException(
          section.pathOf(KEY), "is neither a key of workload.data nor of schema: '" + key + "'");
    }
    boolean bytes = section.has(UNIT) && section.choice(UNIT, BYTES, List.of(BYTES)).equals(BYTES);
    return new Setting(
        key,
        bytes,
        section.number("min", -Double.MAX_VALUE, -Double.MAX_VALUE, Double.MAX_VALUE),
        section.number("max", Double.MAX_VALUE, -Double.MAX_VALUE, Double.MAX_VALUE),
        section.integer(PER, 0, 1, MOST_PER),
        section.subtree("stands-for"));
  }

  /** Whether a target sets it. */
  boolean ofTarget() {
    return key.startsWith("schema.");
  }

  /** The same for data of so many documents. */
  Setting of(Options root) {
    long documents = documents(root);
    return per > 0 && documents > 0
        ? new Setting(key, bytes, least, Math.min(most, (double) documents), per, standsFor)
        : this;
  }

  private static long documents(Options root) {
    Options work = root.section("workload");
    return work.isSection("data")
        ? work.section("data").integer(DOCUMENTS, 0, 0, Long.MAX_VALUE)
        : 0;
  }

  /** The default for the data. */
  String standard(String fixed, Options root) {
    long documents = documents(root);
    return per > 0 && documents > 0
        ? Long.toString(Math.min((long) most, Math.max(Long.parseLong(fixed), documents / per)))
        : fixed;
  }

  /** The value that the configuration has under the key, if it has one. */
  Optional<String> given(Options root) {
    if (key.isEmpty()) {
      return Optional.empty();
    }
    int dot = key.lastIndexOf('.');
    Options section = root;
    for (String part : key.substring(0, dot).split("\\.", -1)) {
      if (!section.isSection(part)) {
        return Optional.empty();
      }
      section = section.section(part);
    }
    return section.text(key.substring(dot + 1));
  }

  /**
   * The value in the form that counts: sizes in bytes, numbers as Java writes them.
   *
   * @param path for messages
   * @param whole whether it must be a whole number
   */
  String accepted(String path, String text, boolean whole) {
    if (standsFor.has(text)) {
      return text;
    }
    String number = plain(path, text);
    JsonObject one = new JsonObject();
    int dot = path.lastIndexOf('.');
    one.addProperty(path.substring(dot + 1), number);
    Options section = new Options(path.substring(0, Math.max(0, dot)), one);
    if (bytes && whole && outside(Long.parseLong(number))) {
      throw new ConfigException(
          path, "%s is not between %s and %s".formatted(text, size(least), size(most)));
    }
    if (whole) {
      return Long.toString(section.integer(path.substring(dot + 1), 0, (long) least, (long) most));
    }
    return isBounded()
        ? Double.toString(section.number(path.substring(dot + 1), 0, least, most))
        : number;
  }

  private boolean outside(long number) {
    return number < least || number > most;
  }

  private static String size(double bytes) {
    return Units.show(bytes).replaceFirst("(\\.0+)? ", "");
  }

  /** The same without bounds. */
  String plain(String path, String text) {
    // The bundle has bytes; a file needs a unit.
    boolean counted = !path.equals(key) && text.matches("\\d+");
    if (!bytes || standsFor.has(text) || counted) {
      return text;
    }
    return Units.bytes(text)
        .map(size -> Long.toString(size))
        .orElseThrow(() -> new ConfigException(path, noSize(text)));
  }

  private boolean isBounded() {
    return least > -Double.MAX_VALUE || most < Double.MAX_VALUE;
  }

  private String noSize(String text) {
    return standsFor.size() == 0
        ? "'" + text + "' is not a size such as 2KiB"
        : "'%s' is neither a size such as 2KiB nor '%s'"
            .formatted(text, String.join("', '", standsFor.keySet()));
  }

  /** What files get in place of a value. */
  JsonElement filled(String value) {
    return standsFor.has(value) ? standsFor.get(value) : new JsonPrimitive(value);
  }

  /** How {@code -o} sets a value; empty without a key. */
  Optional<String> option(String value) {
    return key.isEmpty()
        ? Optional.empty()
        : Optional.of(key + "=" + value + (bytes && value.matches("\\d+") ? "B" : ""));
  }
}
