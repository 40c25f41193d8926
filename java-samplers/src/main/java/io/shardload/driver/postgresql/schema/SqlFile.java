package io.shardload.driver.postgresql.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statements of a file in {@code schemas/document-store}, with psql's variables: {@code :name}
 * stands for itself, {@code :'name'} for a literal.
 */
final class SqlFile {
  private static final String FOLDER = "/schemas/document-store/";
  private static final Pattern COMMENT = Pattern.compile("(?m)^--.*\n");

  /** A cast would be taken for one, of which there is no value; {@code CAST} is not. */
  private static final Pattern VARIABLE = Pattern.compile(":('?)([a-z_]+)\\1");

  private SqlFile() {}

  /** The statements in order, without comments and semicolons. */
  static List<String> statements(String file, Map<String, String> variables) {
    String text = COMMENT.matcher(read(FOLDER + file)).replaceAll("");
    List<String> statements = new ArrayList<>();
    for (String statement : text.split(";\\s*\n", -1)) {
      if (!statement.isBlank()) {
        statements.add(fill(statement.strip(), variables));
      }
    }
    return statements;
  }

  private static String fill(String statement, Map<String, String> variables) {
    return VARIABLE
        .matcher(statement)
        .replaceAll(
            found -> Matcher.quoteReplacement(value(found.group(1), found.group(2), variables)));
  }

  private static String value(String quote, String name, Map<String, String> variables) {
    String value = variables.get(name);
    if (value == null) {
      throw new IllegalStateException("no variable " + name);
    }
    return quote.isEmpty() ? value : "'" + value.replace("'", "''") + "'";
  }

  private static String read(String resource) {
    try (InputStream in = SqlFile.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
