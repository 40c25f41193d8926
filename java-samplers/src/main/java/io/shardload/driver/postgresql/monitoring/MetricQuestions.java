package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.shardload.driver.Clock;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.monitoring.KeptAnswers;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Asks one server for all parts, in one transaction. Parts for which no time is left are left out;
 * the next read begins with the first of them. Not thread-safe.
 */
final class MetricQuestions implements Questions {
  // At login a pgbouncer would not take it, and outside of a transaction it would stay there.
  private static final String LIMIT =
      "SET LOCAL statement_timeout = " + MonitoredServer.STATEMENT_TIMEOUT.toMillis();
  private static final String LIMIT_OF_CITUS = "SET LOCAL citus.node_connection_timeout = 1000";

  private final KeptAnswers<JsonElement> schedule;
  private final CitusWorkers workers;
  private final Clock clock;
  private Connection last;
  private String first = "";

  /**
   * @param named servers that have connections of their own, as {@code host:port}
   */
  MetricQuestions(Set<String> named, Clock clock) {
    this.schedule = new KeptAnswers<>(clock::nanoTime);
    this.workers = new CitusWorkers(PostgresqlParts.ALL, named, clock);
    this.clock = clock;
  }

  private interface Question {
    void ask() throws SQLException;
  }

  private record Named(String part, Question question) {}

  @Override
  public boolean inTransaction() {
    return true;
  }

  @Override
  public List<Sheet> ask(Connection connection, String server, long end, Consumer<Identity> known)
      throws SQLException {
    if (connection != last) {
      // It may be another server.
      schedule.clear();
      last = connection;
    }
    List<Sheet> all = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      statement.execute(LIMIT);
      Identity identity = Identity.read(statement);
      known.accept(identity);
      Sheet own = new Sheet(server, identity.role().label());
      all.add(own);
      own.up(identity.version());
      ask(fromFirst(questions(statement, identity, all)), own, end);
    }
    connection.commit();
    return all;
  }

  private List<Named> questions(Statement statement, Identity identity, List<Sheet> all)
      throws SQLException {
    Sheet own = all.get(0);
    List<Part> parts = new ArrayList<>(PostgresqlParts.ALL);
    boolean coordinator = identity.role() == Role.COORDINATOR;
    if (coordinator) {
      statement.execute(LIMIT_OF_CITUS);
      parts.addAll(CitusParts.ALL);
    }
    List<Named> questions = new ArrayList<>();
    for (Part part : parts) {
      Optional<JsonElement> kept = schedule.get(part.name());
      if (!part.isIn(identity.major())) {
        own.lacks(part.name(), Reasons.version(identity));
      } else if (kept.isPresent()) {
        part.add(kept.get(), own);
      } else {
        questions.add(new Named(part.name(), () -> ask(statement, part, identity.major(), own)));
      }
    }
    if (coordinator) {
      questions.add(
          new Named(
              CitusParts.WORKERS_SERVERS,
              () -> {
                all.addAll(workers.read(statement, identity));
                own.has(CitusParts.WORKERS_SERVERS);
              }));
    }
    return questions;
  }

  private List<Named> fromFirst(List<Named> questions) {
    List<String> names = questions.stream().map(Named::part).toList();
    int index = Math.max(0, names.indexOf(first));
    List<Named> rotated = new ArrayList<>(questions.subList(index, questions.size()));
    rotated.addAll(questions.subList(0, index));
    return rotated;
  }

  private void ask(List<Named> questions, Sheet own, long end) throws SQLException {
    String left = "";
    for (Named next : questions) {
      if (clock.nanoTime() >= end) {
        left = left.isEmpty() ? next.part() : left;
        own.lacks(next.part(), "the other parts took too long");
      } else {
        ask(next, own);
      }
    }
    first = left;
  }

  private static void ask(Named next, Sheet own) throws SQLException {
    try {
      next.question().ask();
    } catch (SQLException e) {
      if (Reasons.connectionLost(e)) {
        throw e;
      }
      own.lacks(next.part(), Reasons.of(e));
    } catch (RuntimeException e) {
      own.lacks(next.part(), Reasons.OTHER_FORM + Failures.firstLine(e));
    }
  }

  private void ask(Statement statement, Part part, int version, Sheet own) throws SQLException {
    String answer = Queries.text(statement, "SELECT " + part.expression(version));
    if (answer == null) {
      own.lacks(part.name(), Reasons.SESSIONS);
      return;
    }
    JsonElement rows = JsonParser.parseString(answer);
    part.add(rows, own);
    part.keep(rows, schedule);
  }
}
