package io.shardload.calibrate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The figures as text. */
final class Table {
  private Table() {}

  static List<String> lines(List<Figure> figures, int rounds) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("what", "goal", "figure [95 % interval]", "verdict"));
    for (Figure f : figures) {
      rows.add(List.of(f.what(), f.goal().text(), f.value(), f.verdict().label()));
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        line.append(padded(row.get(column), width(rows, column))).append("  ");
      }
      lines.add(line.toString().stripTrailing());
    }
    Set<String> details = new LinkedHashSet<>();
    figures.forEach(f -> details.add("  " + group(f) + ": " + f.detail()));
    lines.addAll(details);
    if (rounds < Goal.LEAST_ROUNDS) {
      lines.add("fewer than " + Goal.LEAST_ROUNDS + " rounds are too few for a decision");
    }
    return lines;
  }

  /** The common part of the names of figures from the same rounds. */
  private static String group(Figure figure) {
    return figure.what().substring(0, figure.what().indexOf(':'));
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length());
  }
}
