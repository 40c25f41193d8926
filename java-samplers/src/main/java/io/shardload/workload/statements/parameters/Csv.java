package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.ValueType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A CSV file (RFC 4180): UTF-8, a header line, commas, fields in double quotes if needed, and
 * doubled quotes inside. A field in quotes may hold line breaks. Every line has as many fields as
 * the header.
 */
public final class Csv {
  /** The maximum number of reported problems per file. */
  private static final int MOST_PROBLEMS = 5;

  /**
   * A record of the file.
   *
   * @param line where it begins, from 1
   */
  record Line(int line, List<String> fields) {}

  private final String name;
  private final List<String> header;
  private final List<Line> lines;

  Csv(String name, List<String> header, List<Line> lines) {
    this.name = name;
    this.header = List.copyOf(header);
    this.lines = List.copyOf(lines);
  }

  /**
   * Reads a file.
   *
   * @param file that exists
   * @param name for messages
   * @throws ConfigException what is wrong with it, with the line
   */
  public static Csv read(Path file, String name) {
    List<Line> records = new CsvParser(name, CsvParser.load(file, name)).records();
    if (records.isEmpty()) {
      throw new ConfigException("", name + ":1: the file is empty; its first line names columns");
    }
    Line header = records.get(0);
    List<ConfigException> problems = new ArrayList<>();
    for (int i = 0; i < header.fields().size(); i++) {
      String column = header.fields().get(i);
      if (column.isBlank()) {
        problems.add(problem(name, header, "column " + (i + 1) + " has no name"));
      } else if (header.fields().indexOf(column) < i) {
        problems.add(problem(name, header, "column \"" + column + "\" occurs twice"));
      }
    }
    List<Line> lines = records.subList(1, records.size());
    int wanted = header.fields().size();
    for (Line line : lines) {
      if (line.fields().size() != wanted) {
        problems.add(
            problem(
                name,
                line,
                "has %s; the header has %d".formatted(fields(line.fields().size()), wanted)));
      }
    }
    if (lines.isEmpty()) {
      problems.add(problem(name, header, "the file has no line of values after the header"));
    }
    refuse(name, problems);
    return new Csv(name, header.fields(), lines);
  }

  private static String fields(int count) {
    return count == 1 ? "1 field" : count + " fields";
  }

  /** Lines of values. */
  int size() {
    return lines.size();
  }

  /** The names in the first line. */
  public List<String> columns() {
    return header;
  }

  /**
   * The values of a column, top to bottom.
   *
   * @throws ConfigException the lines whose value is not of the type
   */
  public ValueList values(String column, ValueType type) {
    int index = header.indexOf(column);
    List<Object> values = new ArrayList<>(lines.size());
    List<ConfigException> problems = new ArrayList<>();
    for (Line line : lines) {
      Optional<Object> value = Conversion.read(line.fields().get(index), type);
      if (value.isEmpty()) {
        String text = "\"%s\" in column %s is not %s %s";
        problems.add(
            problem(
                name,
                line,
                text.formatted(
                    line.fields().get(index),
                    column,
                    type == ValueType.INTEGER ? "an" : "a",
                    type.label())));
      }
      value.ifPresent(values::add);
    }
    refuse(name, problems);
    return new ValueList("csv " + name + ", column " + column, type, values);
  }

  private static ConfigException problem(String name, Line line, String text) {
    return new ConfigException("", "%s:%d: %s".formatted(name, line.line(), text));
  }

  private static void refuse(String name, List<ConfigException> problems) {
    if (problems.isEmpty()) {
      return;
    }
    List<ConfigException> reported =
        new ArrayList<>(problems.subList(0, Math.min(MOST_PROBLEMS, problems.size())));
    if (problems.size() > MOST_PROBLEMS) {
      reported.add(
          new ConfigException(
              "", "%s: %d more lines are wrong".formatted(name, problems.size() - MOST_PROBLEMS)));
    }
    throw ConfigException.of(reported);
  }

  /** Cuts the text of a CSV file into records. Used once. */
  private static final class CsvParser {
    /** The values of a file are kept in memory, by each generator. */
    private static final long MOST_BYTES = 64L << 20;

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final String name;
    private final String text;
    private int position;
    private int line = 1;

    CsvParser(String name, String text) {
      this.name = name;
      this.text = text;
    }

    /** The file's text, without a byte order mark. */
    static String load(Path file, String name) {
      try {
        if (Files.size(file) > MOST_BYTES) {
          throw new ConfigException("", name + ": the file is larger than 64 MiB");
        }
        byte[] bytes = Files.readAllBytes(file);
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
      } catch (CharacterCodingException e) {
        throw new ConfigException("", name + ": the file is not encoded in UTF-8");
      } catch (IOException e) {
        throw new ConfigException("", name + ": the file cannot be read: " + e.getMessage());
      }
    }

    /** All records, the header too; empty lines are refused, except at the end. */
    List<Line> records() {
      List<Line> records = new ArrayList<>();
      while (position < text.length()) {
        if (ends(position) && text.substring(position).isBlank()) {
          break;
        }
        if (ends(position)) {
          throw problem(line, "the line is empty; an empty value is written as \"\"");
        }
        records.add(row());
      }
      return records;
    }

    private Line row() {
      int first = line;
      List<String> fields = new ArrayList<>();
      while (true) {
        fields.add(at(position) == '"' ? quoted() : plain());
        if (at(position) != ',') {
          break;
        }
        position++;
      }
      if (position < text.length()) {
        position += text.charAt(position) == '\r' ? 2 : 1;
        line++;
      }
      return new Line(first, fields);
    }

    private String plain() {
      int from = position;
      while (at(position) != ',' && !ends(position)) {
        if (at(position) == '"') {
          throw problem(line, "a field contains a quote but does not begin with a quote");
        }
        position++;
      }
      return text.substring(from, position);
    }

    private String quoted() {
      int first = line;
      StringBuilder field = new StringBuilder();
      position++;
      while (true) {
        if (position >= text.length()) {
          throw problem(first, "the closing quote of a field is missing");
        }
        char next = text.charAt(position++);
        if (next == '"') {
          if (at(position) != '"') {
            break;
          }
          position++;
        }
        line += next == '\n' ? 1 : 0;
        field.append(next);
      }
      if (at(position) != ',' && !ends(position)) {
        throw problem(line, "text follows the closing quote of a field");
      }
      return field.toString();
    }

    /** The character at the position, or 0 after the last. */
    private char at(int index) {
      return index < text.length() ? text.charAt(index) : 0;
    }

    private boolean ends(int index) {
      return index >= text.length()
          || text.charAt(index) == '\n'
          || (text.charAt(index) == '\r' && at(index + 1) == '\n');
    }

    private ConfigException problem(int where, String what) {
      return new ConfigException("", "%s:%d: %s".formatted(name, where, what));
    }
  }
}
