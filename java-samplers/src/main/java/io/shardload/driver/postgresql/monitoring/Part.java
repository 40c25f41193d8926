package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.monitoring.KeptAnswers;
import io.shardload.monitoring.Sheet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Some metrics that one statement reads.
 *
 * @param name in the label {@code part}
 * @param versions the statement from a version of the server on, by that version; empty before the
 *     first one
 * @param sessions whether it looks at sessions, of which only roles with pg_read_all_stats see more
 *     than their own
 * @param slow whether it takes long enough not to be asked at every read
 * @param metrics that it can read
 */
record Part(
    String name,
    TreeMap<Integer, String> versions,
    boolean sessions,
    boolean slow,
    List<Metric> metrics) {

  /** One that is the same in all versions. */
  static Part of(String name, String sql, Metric... metrics) {
    return new Part(name, statement(0, sql), false, false, List.of(metrics));
  }

  /** The same, but from a version on by another statement. */
  Part from(int version, String sql) {
    TreeMap<Integer, String> all = new TreeMap<>(versions);
    all.put(version, sql);
    return new Part(name, all, sessions, slow, metrics);
  }

  /** One that servers have from a version on. */
  static Part since(int version, String name, String sql, Metric... metrics) {
    return new Part(name, statement(version, sql), false, false, List.of(metrics));
  }

  /** The same, for roles that see all sessions. */
  Part ofSessions() {
    return new Part(name, versions, true, slow, metrics);
  }

  /** The same, asked less often. */
  Part rarely() {
    return new Part(name, versions, sessions, true, metrics);
  }

  private static TreeMap<Integer, String> statement(int version, String sql) {
    TreeMap<Integer, String> all = new TreeMap<>();
    all.put(version, sql);
    return all;
  }

  /** Whether a server of this version has it. */
  boolean isIn(int version) {
    return versions.floorKey(version) != null;
  }

  /**
   * An expression for all rows as one JSON text, which is the same whether it is asked here or
   * through a coordinator; NULL if the role does not see what it would count.
   */
  String expression(int version) {
    String rows =
        "(SELECT coalesce(json_agg(part), '[]') FROM (%s) AS part)"
            .formatted(versions.floorEntry(version).getValue().strip());
    return sessions
        ? "CASE WHEN pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') THEN " + rows + " END"
        : rows;
  }

  /**
   * Adds an answer: rows whose texts are labels and whose numbers are values. An answer of another
   * form adds nothing and throws.
   */
  void add(JsonElement rows, Sheet sheet) {
    Sheet read = sheet.empty();
    for (JsonElement row : rows.getAsJsonArray()) {
      add(row.getAsJsonObject(), read);
    }
    sheet.has(name);
    sheet.readings().addAll(read.readings());
  }

  /** Keeps an answer that is not asked for at every read. */
  void keep(JsonElement rows, KeptAnswers<JsonElement> answers) {
    if (slow) {
      answers.keep(name, rows);
    }
  }

  private void add(JsonObject row, Sheet sheet) {
    Map<String, String> labels = new HashMap<>();
    Map<String, Double> values = new HashMap<>();
    for (Map.Entry<String, JsonElement> column : row.entrySet()) {
      if (column.getValue().isJsonNull()) {
        continue;
      }
      if (column.getValue().getAsJsonPrimitive().isString()) {
        labels.put(column.getKey(), column.getValue().getAsString());
      } else {
        values.put(column.getKey(), column.getValue().getAsDouble());
      }
    }
    values.forEach((column, value) -> add(column, labels, value, sheet));
  }

  private void add(String column, Map<String, String> rowLabels, double value, Sheet sheet) {
    String[] words = column.split("\\.", 2);
    Metric metric =
        metrics.stream()
            .filter(candidate -> candidate.name().equals(words[0]))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("column of no metric: " + column));
    Map<String, String> labels = new HashMap<>(rowLabels);
    if (words.length == 2) {
      labels.put(metric.label(), words[1]);
    }
    sheet.add(metric.kind(), metric.fullName(), metric.help(), value, labels);
  }
}
