package io.shardload.timeseries;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A table as RFC 4180 has it: a line of names, lines end with CR LF, null values are empty. */
final class CsvFile {
  private final Writer out;
  private final List<String> columns;

  /** Writes the line of names. */
  CsvFile(Writer out, List<String> columns) throws IOException {
    this.out = out;
    this.columns = columns;
    line(columns);
  }

  void row(JsonObject row) throws IOException {
    line(columns.stream().map(column -> text(row.get(column))).toList());
  }

  void line(List<String> cells) throws IOException {
    out.write(cells.stream().map(CsvFile::quoted).collect(Collectors.joining(",", "", "\r\n")));
  }

  /** An object as {@code key=value} with semicolons between. */
  static String text(JsonElement value) {
    if (value == null || value.isJsonNull()) {
      return "";
    }
    if (value.isJsonObject()) {
      return value.getAsJsonObject().entrySet().stream()
          .map((Map.Entry<String, JsonElement> one) -> one.getKey() + "=" + text(one.getValue()))
          .collect(Collectors.joining(";"));
    }
    return value.isJsonArray() ? value.toString() : value.getAsString();
  }

  private static String quoted(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
