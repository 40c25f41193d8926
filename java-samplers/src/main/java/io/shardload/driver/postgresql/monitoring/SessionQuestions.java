package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.Clock;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.Reading.Kind;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Asks one server what the sessions of a load do, in one statement outside of a transaction, so
 * that each read is one exchange. The load logs in as the same user, so that no further right is
 * needed. On the workers of a coordinator the sessions of Citus itself count, and one more
 * statement asks for them. Not thread-safe.
 */
final class SessionQuestions implements Questions {
  // WAL in the name of a wait is a flush or what waits for one. A session between the statements
  // of a transaction waits for its client and keeps its locks.
  private static final String SESSIONS =
      """
      SELECT CASE
          WHEN state LIKE 'idle in transaction%%' THEN 'transaction'
          WHEN state <> 'active' OR wait_event = 'ClientRead' THEN 'idle'
          WHEN wait_event_type IS NULL THEN 'processor'
          WHEN wait_event_type = 'Lock' THEN 'lock'
          WHEN wait_event ~* '^wal' THEN 'flush'
          WHEN wait_event_type = 'IO' OR wait_event = 'BufferIO' THEN 'disk'
          WHEN wait_event = 'ClientWrite' THEN 'send'
          WHEN wait_event_type = 'Extension' THEN 'worker'
          ELSE 'inner' END AS doing,
        coalesce(wait_event, '') AS event, count(*) AS sessions
      FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND usename = current_user AND %s GROUP BY 1, 2
      """;

  private static final String TIMES =
      "SELECT extract(epoch FROM clock_timestamp() - statement_timestamp()) AS own_seconds";

  private static final String OWN_TIMES = "times";
  private static final String OF_CITUS = "application_name LIKE 'citus_internal%'";

  private final Part sessions;
  private final Part checkpoints = PostgresqlParts.checkpoints();
  private final CitusWorkers workers;
  private final Clock clock;
  private Identity identity;
  private Connection identified;

  /**
   * @param application the name of the load's connections
   * @param named servers that have connections of their own, as {@code host:port}
   */
  SessionQuestions(String application, Set<String> named, Clock clock) {
    sessions = part("application_name = '" + application.replace("'", "''") + "'");
    workers = new CitusWorkers(List.of(part(OF_CITUS)), named, clock);
    this.clock = clock;
  }

  private static Part part(String which) {
    return Part.of(
        "sessions",
        SESSIONS.formatted(which),
        new Metric("shardload_load_", "sessions", Kind.GAUGE, "", LoadSessions.HELP));
  }

  @Override
  public boolean inTransaction() {
    return false;
  }

  @Override
  public List<Sheet> ask(Connection connection, String server, long end, Consumer<Identity> known)
      throws SQLException {
    List<Sheet> all = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      if (connection != identified) {
        identity = Identity.read(statement);
        known.accept(identity);
        identified = connection;
      }
      all.add(ask(statement, new Sheet(server, identity.role().label())));
      if (identity.role() == Role.COORDINATOR && clock.nanoTime() < end) {
        all.addAll(workers.read(statement, identity));
      }
    }
    return all;
  }

  private Sheet ask(Statement statement, Sheet own) throws SQLException {
    int version = identity.major();
    String question =
        "SELECT json_build_object('%s', %s, '%s', %s, '%s', (%s))"
            .formatted(
                sessions.name(),
                sessions.expression(version),
                checkpoints.name(),
                checkpoints.expression(version),
                OWN_TIMES,
                TIMES);
    long asked = clock.nanoTime();
    String text = Queries.text(statement, question);
    double seconds = (clock.nanoTime() - asked) / 1e9;
    try {
      JsonObject answer = JsonParser.parseString(text).getAsJsonObject();
      JsonElement inside = answer.get(OWN_TIMES);
      sessions.add(answer.get(sessions.name()), own);
      checkpoints.add(answer.get(checkpoints.name()), own);
      own.gauge(
          LoadSessions.ROUND_TRIP,
          LoadSessions.ROUND_TRIP_HELP,
          Math.max(0, seconds - inside.getAsDouble()));
    } catch (RuntimeException e) {
      own.lacks(sessions.name(), Reasons.OTHER_FORM + Failures.firstLine(e));
    }
    return own;
  }
}
