package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The server's complaint about a statement, at the line of the file that it is about. */
final class ServerMessage {
  private ServerMessage() {}

  /**
   * The problem.
   *
   * @param before characters that shardload put before it
   */
  static Problem of(SqlStatement statement, SQLException e, int before) {
    ServerErrorMessage server = e instanceof PSQLException sql ? sql.getServerErrorMessage() : null;
    if (server == null || server.getMessage() == null) {
      return new Problem(statement.place(), Failures.firstLine(e));
    }
    String words =
        Stream.of(server.getMessage(), server.getDetail(), server.getHint())
            .filter(Objects::nonNull)
            .map(ServerMessage::oneLine)
            .collect(Collectors.joining("; "));
    return new Problem(at(statement, server.getPosition() - before), words);
  }

  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\n\\s*", " ");
  }

  /**
   * The place of a character.
   *
   * @param position as the server counts: characters from 1; below 1 if it names none
   */
  private static Place at(SqlStatement statement, int position) {
    String sent = numbered(statement);
    int characters = sent.codePointCount(0, sent.length());
    if (position < 1 || position > characters + 1) {
      return statement.place();
    }
    return line(statement, sent.substring(0, sent.offsetByCodePoints(0, position - 1)));
  }

  /** The place of what follows this part of a statement. */
  static Place line(SqlStatement statement, String before) {
    long lines = before.chars().filter(c -> c == '\n').count();
    return new Place(statement.place().file(), statement.place().line() + (int) lines);
  }

  /** A statement as the server sees it: parameters have numbers. */
  static String numbered(SqlStatement statement) {
    StringBuilder text = new StringBuilder(statement.pieces().get(0));
    for (int i = 1; i < statement.pieces().size(); i++) {
      text.append('$').append(i).append(statement.pieces().get(i));
    }
    return text.toString();
  }
}
