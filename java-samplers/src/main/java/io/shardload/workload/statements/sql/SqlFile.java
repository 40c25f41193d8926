package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.sql.SqlLexer.Kind;
import io.shardload.workload.statements.sql.SqlLexer.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Reads a file of SQL: variants of one or more statements each. */
public final class SqlFile {
  private static final Set<String> VERBS =
      new TreeSet<>(
          List.of("select", "insert", "update", "delete", "merge", "values", "table", "with"));

  private SqlFile() {}

  /**
   * Reads the statements of a transaction, check or query.
   *
   * @param file as {@link Place#file}
   * @param problems told of everything that is wrong
   * @return the variants; those with problems are not whole
   */
  public static List<List<SqlStatement>> read(String file, String sql, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = cut(file, sql, problems);
    for (List<SqlStatement> variant : variants) {
      for (SqlStatement statement : variant) {
        check(statement, problems);
      }
    }
    return variants;
  }

  /** Reads the statements of a schema: any, but without parameters and variants. */
  public static List<SqlStatement> schema(String file, String sql, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = cut(file, sql, problems);
    if (variants.size() > 1) {
      problems.accept(new Problem(variants.get(1).get(0).place(), "a schema has no variants"));
    }
    for (SqlStatement statement : variants.get(0)) {
      if (!statement.names().isEmpty()) {
        problems.accept(
            new Problem(
                statement.place(),
                "a schema has no parameters, but here is :" + statement.names().get(0)));
      }
    }
    return variants.get(0);
  }

  private static List<List<SqlStatement>> cut(String file, String sql, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = new ArrayList<>();
    variants.add(new ArrayList<>());
    List<Token> tokens;
    try {
      tokens = SqlLexer.tokens(sql);
    } catch (SqlSyntaxException e) {
      problems.accept(new Problem(new Place(file, e.line()), e.getMessage()));
      return variants;
    }
    List<Token> statement = new ArrayList<>();
    int line = 1;
    for (Token token : tokens) {
      line = token.line();
      if (token.kind() == Kind.END || token.kind() == Kind.VARIANT) {
        end(file, statement, variants.get(variants.size() - 1));
        if (token.kind() == Kind.VARIANT) {
          begin(file, line, variants, problems);
        }
      } else {
        statement.add(token);
      }
    }
    end(file, statement, variants.get(variants.size() - 1));
    if (variants.get(variants.size() - 1).isEmpty()) {
      problems.accept(new Problem(new Place(file, line), "there is no statement"));
    }
    return variants;
  }

  /** A variant begins; one before the first line that says so may be empty. */
  private static void begin(
      String file, int line, List<List<SqlStatement>> variants, Consumer<Problem> problems) {
    if (!variants.get(variants.size() - 1).isEmpty()) {
      variants.add(new ArrayList<>());
    } else if (variants.size() > 1) {
      problems.accept(new Problem(new Place(file, line), "the variant before has no statement"));
    }
  }

  /** Adds the statement of some tokens, and empties these; nothing but space is none. */
  private static void end(String file, List<Token> tokens, List<SqlStatement> statements) {
    List<Token> visible = tokens.stream().filter(token -> token.kind() != Kind.SPACE).toList();
    if (!visible.isEmpty()) {
      List<String> pieces = new ArrayList<>();
      List<String> names = new ArrayList<>();
      StringBuilder piece = new StringBuilder();
      for (Token token : tokens) {
        if (token.kind() == Kind.PARAMETER) {
          pieces.add(piece.toString());
          names.add(token.text());
          piece.setLength(0);
        } else {
          piece.append(token.text());
        }
      }
      pieces.add(piece.toString());
      pieces.set(0, pieces.get(0).stripLeading());
      int last = pieces.size() - 1;
      pieces.set(last, pieces.get(last).stripTrailing());
      Words words = Words.of(visible);
      statements.add(
          new SqlStatement(
              new Place(file, visible.get(0).line()), pieces, names, words.verb(), words.writes()));
    }
    tokens.clear();
  }

  private static void check(SqlStatement statement, Consumer<Problem> problems) {
    String verb = statement.verb();
    if (!VERBS.contains(verb)) {
      problems.accept(
          new Problem(
              statement.place(),
              verb.isEmpty()
                  ? "a statement begins with a word"
                  : verb.toUpperCase(java.util.Locale.ROOT)
                      + " cannot stand in a transaction; allowed are select, insert, update,"
                      + " delete, merge, values, table and with"));
    } else if (verb.equals("select") && statement.pieces().get(0).isEmpty()) {
      problems.accept(new Problem(statement.place(), "a statement begins with a word"));
    }
  }
}
