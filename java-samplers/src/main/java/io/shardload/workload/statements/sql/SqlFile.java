package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.sql.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a file of SQL: statements with a semicolon between them, variants with the line {@code --
 * variant} between them.
 *
 * <p>A parameter is {@code :name}. A colon in a literal, a name in quotes, a comment, {@code ::},
 * {@code :=} or between the bounds of a slice does not begin a parameter: {@code a[1:n]} has none,
 * {@code a[:n]} and {@code a[1 : :n]} have one. A question mark is an operator and stays as it is.
 * Comments are removed, except for their line ends.
 */
public final class SqlFile {
  private final String file;
  private final Consumer<Problem> problems;
  private final List<List<SqlStatement>> variants = new ArrayList<>();
  private List<SqlStatement> statements = new ArrayList<>();
  private List<Token> tokens = new ArrayList<>();

  /**
   * Open BEGIN ATOMIC and CASE of a function's body, in which semicolons do not end a statement.
   */
  private int bodyDepth;

  private boolean wantsStatements;
  private int variantLine = 1;

  private SqlFile(String file, Consumer<Problem> problems) {
    this.file = file;
    this.problems = problems;
  }

  /**
   * The variants of a file, each with its statements. If there is a problem, the result must not be
   * used.
   *
   * @param file its name in messages, relative to the folder
   * @param problems receives the problems
   */
  public static List<List<SqlStatement>> parse(
      String file, String text, Consumer<Problem> problems) {
    SqlFile reader = new SqlFile(file, problems);
    List<Problem> unread = new ArrayList<>();
    List<Token> tokens = Lexer.tokens(file, text, unread::add);
    unread.forEach(problems);
    // The unreadable part may be the apparently missing statement.
    reader.wantsStatements = unread.isEmpty();
    tokens.forEach(reader::read);
    reader.statement(0);
    reader.variant(reader.variants.isEmpty());
    return List.copyOf(reader.variants);
  }

  private void read(Token token) {
    if (token.kind() == Kind.VARIANT) {
      statement(0);
      variant(false);
      variantLine = token.line();
    } else if (token.kind() == Kind.SEMICOLON && bodyDepth == 0) {
      statement(token.line());
    } else if (token.kind() != Kind.SPACE || !tokens.isEmpty()) {
      body(token);
      tokens.add(token);
    }
  }

  private void body(Token token) {
    if (bodyDepth == 0) {
      bodyDepth = token.isWord("atomic") && lastWordIs("begin") ? 1 : 0;
    } else if (token.isWord("case")) {
      bodyDepth++;
    } else if (token.isWord("end")) {
      bodyDepth--;
    }
  }

  private boolean lastWordIs(String word) {
    for (int i = tokens.size() - 1; i >= 0; i--) {
      if (tokens.get(i).kind() != Kind.SPACE) {
        return tokens.get(i).isWord(word);
      }
    }
    return false;
  }

  /** Ends a statement: at the semicolon of a line, or at 0 if no statement must follow. */
  private void statement(int line) {
    bodyDepth = 0;
    while (!tokens.isEmpty() && tokens.get(tokens.size() - 1).kind() == Kind.SPACE) {
      tokens.remove(tokens.size() - 1);
    }
    if (!tokens.isEmpty()) {
      statements.add(statement(tokens));
    } else if (line > 0 && wantsStatements) {
      problem(line, "the statement before the semicolon is empty");
    }
    tokens = new ArrayList<>();
  }

  private SqlStatement statement(List<Token> all) {
    List<String> pieces = new ArrayList<>();
    List<String> names = new ArrayList<>();
    StringBuilder piece = new StringBuilder();
    for (Token token : all) {
      if (token.kind() == Kind.PARAMETER) {
        pieces.add(piece.toString());
        names.add(token.text());
        piece.setLength(0);
      } else {
        piece.append(token.text());
      }
    }
    pieces.add(piece.toString());
    Verb verb = Verb.of(all);
    int line = all.get(0).line();
    if (verb.into()) {
      problem(line, "SELECT INTO creates a table: define tables in the schema");
    }
    return new SqlStatement(new Place(file, line), pieces, names, verb.name(), verb.writes());
  }

  /** Ends a variant, possibly the only one of the file. */
  private void variant(boolean only) {
    if (statements.isEmpty() && wantsStatements) {
      problem(
          variantLine,
          only ? "the file has no statement" : "variant " + (variants.size() + 1) + " is empty");
    }
    variants.add(List.copyOf(statements));
    statements = new ArrayList<>();
  }

  private void problem(int line, String text) {
    problems.accept(new Problem(new Place(file, line), text));
  }
}
