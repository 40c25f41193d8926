package io.shardload.workload.statements.folder;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.json.CollectionsFile;
import io.shardload.workload.statements.json.CommandFile;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.sql.SqlFile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/** Reads one file of statements, and checks that its kind allows the statements. */
final class StatementFile {
  /** Verbs that read or write rows; a check or query that writes is refused later. */
  private static final List<String> OF_TRANSACTIONS =
      List.of("delete", "insert", "merge", "select", "table", "update", "values");

  /**
   * Verbs that create tables and related objects, including calls of Citus functions for
   * distribution.
   */
  private static final List<String> OF_SCHEMAS =
      List.of("alter", "comment", "create", "do", "grant", "select", "set");

  private StatementFile() {}

  /** The variants of a file; not usable if there is a problem. */
  static List<List<Statement>> parse(String name, byte[] bytes, Consumer<Problem> problems) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      problems.accept(new Problem(new Place(name, 1), "the file is not encoded in UTF-8"));
      return List.of();
    }
    String content = text.startsWith("\uFEFF") ? text.substring(1) : text;
    if (content.isBlank()) {
      problems.accept(new Problem(new Place(name, 1), "the file is empty"));
      return List.of();
    }
    boolean schema = name.startsWith(Folder.SCHEMA + "/");
    if (name.endsWith(Systems.SQL)) {
      return schema ? schema(name, content, problems) : sql(name, content, problems);
    }
    return schema
        ? List.of(List.copyOf(CollectionsFile.parse(name, content, problems)))
        : widened(CommandFile.parse(name, content, problems));
  }

  private static List<List<Statement>> sql(String name, String text, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = SqlFile.parse(name, text, problems);
    for (List<SqlStatement> statements : variants) {
      for (SqlStatement statement : statements) {
        verb(statement, "statement", OF_TRANSACTIONS, problems);
      }
    }
    return widened(variants);
  }

  private static List<List<Statement>> schema(
      String name, String text, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = SqlFile.parse(name, text, problems);
    if (variants.size() > 1) {
      problems.accept(new Problem(new Place(name, 1), "a schema must not have variants"));
    }
    for (SqlStatement statement : variants.get(0)) {
      if (statement.verb().equals("drop")) {
        problem(
            statement, "a schema must not drop anything: --recreate drops its tables", problems);
      } else if (statement.writes()) {
        problem(
            statement,
            "a schema must not write rows: define them in workload.data.tables",
            problems);
      } else {
        verb(statement, "statement of a schema", OF_SCHEMAS, problems);
      }
      if (!statement.names().isEmpty()) {
        problem(
            statement, "a schema must not have parameters: :" + statement.names().get(0), problems);
      }
    }
    return widened(variants);
  }

  private static void verb(
      SqlStatement statement, String what, List<String> known, Consumer<Problem> problems) {
    if (!known.contains(statement.verb())) {
      String text =
          statement.verb().isEmpty()
              ? "the statement has no verb; known are " + String.join(", ", known)
              : ConfigException.unknown("", what, statement.verb(), known).getMessage();
      problem(statement, text, problems);
    }
  }

  private static void problem(Statement statement, String text, Consumer<Problem> problems) {
    problems.accept(new Problem(statement.place(), text));
  }

  private static List<List<Statement>> widened(List<? extends List<? extends Statement>> all) {
    return all.stream().map(one -> List.<Statement>copyOf(one)).toList();
  }
}
