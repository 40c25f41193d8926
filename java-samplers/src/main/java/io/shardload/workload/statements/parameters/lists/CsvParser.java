package io.shardload.workload.statements.parameters.lists;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Cuts the text of a CSV file into records. Used once. */
final class CsvParser {
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
  List<Csv.Line> records() {
    List<Csv.Line> records = new ArrayList<>();
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

  private Csv.Line row() {
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
    return new Csv.Line(first, fields);
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
