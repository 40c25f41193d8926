package io.shardload.workload.statements.parameters.lists;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.ValueType;
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
}
