package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.sql.Token.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a file of SQL: statements with a semicolon between them, variants with the line {@code --
 * variant} between them.
 *
 * <p>A parameter is {@code :name}. A colon in a literal, a name in quotes, a comment, {@code ::},
 * {@code :=} or between the bounds of a slice does not begin a parameter: {@code a[1:n]} has none,
 * {@code a[:n]} and {@code a[1 : :n]} have one. A question mark that is an operator stays as it is.
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
   * @param rules of the file's system
   * @param problems receives the problems
   */
  public static List<List<SqlStatement>> parse(
      String file, String text, SqlRules rules, Consumer<Problem> problems) {
    return parse(file, text, rules, false, problems);
  }

  /** As {@link #parse}, with psql's {@code :'name'}, which is the name between quotes. */
  public static List<List<SqlStatement>> parseSchema(
      String file, String text, SqlRules rules, Consumer<Problem> problems) {
    return parse(file, text, rules, true, problems);
  }

  private static List<List<SqlStatement>> parse(
      String file, String text, SqlRules rules, boolean literals, Consumer<Problem> problems) {
    SqlFile reader = new SqlFile(file, problems);
    List<Problem> unread = new ArrayList<>();
    List<Token> tokens = Lexer.tokens(file, text, rules, literals, unread::add);
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

  /**
   * What a statement does.
   *
   * @param name its first word after the definitions of its CTEs, in lower case; empty if it has
   *     none
   * @param writes whether it or a CTE inserts, updates, deletes or merges
   * @param into whether it is a SELECT that creates a table
   */
  private record Verb(String name, boolean writes, boolean into) {
    private static final Set<String> CHANGING = Set.of("insert", "update", "delete", "merge");
    private static final Set<String> AFTER_WITH =
        Set.of("select", "insert", "update", "delete", "merge", "values", "table");

    /** The parser state of a level of brackets. */
    private enum At {
      /** These brackets contain no statement, or its verb has been read. */
      INSIDE,
      /** The first word comes next. */
      BEGIN,
      /** After WITH or a comma: the name of a CTE. */
      CTE_NAME,
      /** After the name of a CTE. */
      CTE
    }

    static Verb of(List<Token> tokens) {
      Reader reader = new Reader();
      tokens.forEach(reader::read);
      return new Verb(reader.name, reader.writes, reader.into);
    }

    private static final class Reader {
      private final Deque<At> outer = new ArrayDeque<>();
      private At at = At.BEGIN;
      private String name = "";
      private boolean writes;
      private boolean into;

      /** The level with the statement's verb: a whole statement may be in brackets. */
      private int verbDepth;

      private Token last = new Token(Kind.SPACE, "", 1);

      void read(Token token) {
        if (token.kind() == Kind.SPACE) {
          return;
        }
        if (token.is("(") || token.is("[")) {
          open();
        } else if (token.is(")") || token.is("]")) {
          at = outer.isEmpty() ? At.INSIDE : outer.pop();
        } else if (token.is(",") && at == At.CTE) {
          at = At.CTE_NAME;
        } else if (token.kind() == Kind.WORD) {
          word(token.text().toLowerCase(Locale.ROOT));
        } else if (at == At.CTE_NAME) {
          at = At.CTE;
        }
        last = token;
      }

      private void open() {
        outer.push(at);
        boolean statement =
            at == At.BEGIN || (at == At.CTE && (last.isWord("as") || last.isWord("materialized")));
        at = statement ? At.BEGIN : At.INSIDE;
      }

      private void word(String word) {
        switch (at) {
          case BEGIN -> {
            if (word.equals("with")) {
              at = At.CTE_NAME;
            } else {
              verb(word);
            }
          }
          case CTE_NAME -> at = word.equals("recursive") && last.isWord("with") ? at : At.CTE;
          case CTE -> {
            if (AFTER_WITH.contains(word)) {
              verb(word);
            }
          }
          case INSIDE ->
              into |= word.equals("into") && name.equals("select") && outer.size() == verbDepth;
          default -> throw new IllegalStateException("at " + at);
        }
      }

      private void verb(String word) {
        at = At.INSIDE;
        writes |= CHANGING.contains(word);
        // The verb of a CTE precedes the verb of the statement, which is on an outer level.
        if (name.isEmpty() && outer.stream().allMatch(level -> level == At.BEGIN)) {
          name = word;
          verbDepth = outer.size();
        }
      }
    }
  }
}
