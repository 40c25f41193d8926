package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.sql.Token.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a statement does.
 *
 * @param name its first word after the definitions of its CTEs, in lower case; empty if it has none
 * @param writes whether it or a CTE inserts, updates, deletes or merges
 * @param into whether it is a SELECT that creates a table
 */
record Verb(String name, boolean writes, boolean into) {
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
