package io.shardload.driver.mongodb.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.shardload.monitoring.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bson.BsonDocument;

/** Replies in the documented shape, with made-up numbers, and readings as short lines. */
final class Replies {
  private Replies() {}

  static String text(String name) {
    try (InputStream in = Replies.class.getResourceAsStream("/monitoring/replies/" + name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static BsonDocument document(String name) {
    return BsonDocument.parse(text(name));
  }

  /**
   * Each as {@code operations{operation=insert} 5}: without the prefix that all have, and without
   * server and role.
   */
  static List<String> lines(List<Reading> readings) {
    return readings.stream().map(Replies::line).toList();
  }

  private static String line(Reading reading) {
    TreeMap<String, String> labels = new TreeMap<>(reading.labels());
    labels.keySet().removeAll(List.of("server", "role"));
    String all =
        labels.entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(","));
    double value = reading.value();
    return reading.name().replaceFirst("^shardload_(mongodb_)?", "")
        + (all.isEmpty() ? "" : "{" + all + "}")
        + " "
        + (value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value));
  }
}
