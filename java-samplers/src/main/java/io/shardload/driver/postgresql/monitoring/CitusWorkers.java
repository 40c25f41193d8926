package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Clock;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.monitoring.KeptAnswers;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The workers of Citus, asked through their coordinator: it reaches them, and logs in to them, in
 * every cluster. All parts of a worker are one statement, so they are refused together.
 */
final class CitusWorkers {
  private static final String ANSWERS =
      """
      SELECT nodename || ':' || nodeport, success, result
      FROM run_command_on_workers($shardload$ SELECT json_build_object(%s) $shardload$)
      """;
  private static final String IDENTITY = "identity";

  private final List<Part> all;
  private final Set<String> named;
  private final Clock clock;
  private final Map<String, KeptAnswers<JsonElement>> schedules = new HashMap<>();

  /**
   * @param all parts that a worker is asked for
   * @param named servers that have connections of their own, as {@code host:port}
   */
  CitusWorkers(List<Part> all, Set<String> named, Clock clock) {
    this.all = all;
    this.named = named;
    this.clock = clock;
  }

  /** Those without a connection of their own. */
  List<Sheet> read(Statement statement, Identity coordinator) throws SQLException {
    int version = coordinator.major();
    List<Part> parts = all.stream().filter(part -> part.isIn(version) && isDue(part)).toList();
    List<Sheet> gathered = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(ANSWERS.formatted(questions(parts, version)))) {
      while (rows.next()) {
        String worker = rows.getString(1);
        if (named.contains(ServerNames.spelling(worker))) {
          continue;
        }
        gathered.add(
            rows.getBoolean(2)
                ? answered(worker, rows.getString(3))
                : new Sheet(worker, Role.WORKER.label()).down(rows.getString(3)));
      }
    }
    return gathered;
  }

  private boolean isDue(Part part) {
    return schedules.isEmpty()
        || schedules.values().stream().anyMatch(schedule -> schedule.get(part.name()).isEmpty());
  }

  private static String questions(List<Part> parts, int version) {
    return "'"
        + IDENTITY
        + "', "
        + Identity.EXPRESSION.strip()
        + parts.stream()
            .map(part -> ", '" + part.name() + "', " + part.expression(version))
            .collect(Collectors.joining());
  }

  private Sheet answered(String worker, String answer) {
    try {
      return answered(worker, JsonParser.parseString(answer).getAsJsonObject());
    } catch (RuntimeException e) {
      return new Sheet(worker, Role.WORKER.label())
          .down(Reasons.OTHER_FORM + Failures.firstLine(e));
    }
  }

  private Sheet answered(String worker, JsonObject answer) {
    Identity identity = Identity.parse(answer.getAsJsonObject(IDENTITY), Role.WORKER);
    KeptAnswers<JsonElement> schedule =
        schedules.computeIfAbsent(worker, w -> new KeptAnswers<>(clock::nanoTime));
    Sheet own = new Sheet(worker, identity.role().label());
    own.up(identity.version());
    for (Part part : all) {
      JsonElement rows = answer.get(part.name());
      if (!part.isIn(identity.major())) {
        own.lacks(part.name(), Reasons.version(identity));
      } else if (rows == null) {
        schedule.get(part.name()).ifPresent(kept -> part.add(kept, own));
      } else if (rows.isJsonNull()) {
        own.lacks(part.name(), Reasons.SESSIONS);
      } else {
        part.add(rows, own);
        part.keep(rows, schedule);
      }
    }
    return own;
  }
}
