package io.shardload.workload.statements.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cuts SQL into tokens: what may hold a parameter, and what may not. It knows literals with {@code
 * ''}, {@code E'..'} with backslashes, quoted names, dollar quotes, nested comments, casts ({@code
 * ::}), slices of arrays ({@code [1:2]}, {@code [low:high]}) and the operators with {@code ?}.
 * Comments become a space.
 */
final class SqlLexer {
  /** What a token is. */
  enum Kind {
    /** A word of letters, digits and underscores, or a number. */
    WORD,
    /** A literal, a quoted name or a dollar quote. */
    QUOTED,
    PARAMETER,
    /** One character, or {@code ::}, {@code :=}. */
    SYMBOL,
    SPACE,
    /** The semicolon that ends a statement. */
    END,
    /** A line {@code -- variant}. */
    VARIANT
  }

  /**
   * A token.
   *
   * @param text as it is sent; of a parameter its name
   * @param line from 1, of its first character
   */
  record Token(Kind kind, String text, int line) {}

  private static final Pattern VARIANT_LINE = Pattern.compile("--[ \\t]*variant[ \\t]*\\r?");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}_][\\p{L}\\p{Nd}_$]*");
  private static final Pattern DOLLAR = Pattern.compile("\\$(?:[A-Za-z_][A-Za-z0-9_]*)?\\$");
  private static final Pattern NUMBERED = Pattern.compile("\\$[0-9]+");

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int line = 1;
  private int brackets;

  private SqlLexer(String sql) {
    this.sql = sql;
  }

  /**
   * Returns all tokens.
   *
   * @throws SqlSyntaxException something is not closed, or belongs to another program
   */
  static List<Token> tokens(String sql) {
    SqlLexer lexer = new SqlLexer(sql);
    while (lexer.at < sql.length()) {
      lexer.next();
    }
    return lexer.tokens;
  }

  private void next() {
    char c = sql.charAt(at);
    if (Character.isWhitespace(c)) {
      take(Kind.SPACE, at + 1);
    } else if (sql.startsWith("--", at)) {
      lineComment();
    } else if (sql.startsWith("/*", at)) {
      blockComment();
    } else if (c == '\'') {
      take(Kind.QUOTED, literalEnd(at, false));
    } else if ((c == 'e' || c == 'E') && sql.startsWith("'", at + 1)) {
      take(Kind.QUOTED, literalEnd(at + 1, true));
    } else if (c == '"') {
      take(Kind.QUOTED, closing('"', at, "quoted name"));
    } else if (c == '$') {
      dollar();
    } else if (c == ':') {
      colon();
    } else if (c == ';') {
      take(Kind.END, at + 1);
    } else if (c == '\\') {
      throw backslash();
    } else {
      Matcher word = WORD.matcher(sql).region(at, sql.length());
      brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
      take(word.lookingAt() ? Kind.WORD : Kind.SYMBOL, word.lookingAt() ? word.end() : at + 1);
    }
  }

  private void take(Kind kind, int end) {
    String text = sql.substring(at, end);
    add(kind, text, text);
    at = end;
  }

  private void add(Kind kind, String text, String source) {
    tokens.add(new Token(kind, text, line));
    line += (int) source.chars().filter(c -> c == '\n').count();
  }

  private void lineComment() {
    int end = sql.indexOf('\n', at);
    end = end < 0 ? sql.length() : end;
    boolean alone = sql.substring(sql.lastIndexOf('\n', at) + 1, at).isBlank();
    boolean variant = alone && VARIANT_LINE.matcher(sql.substring(at, end)).matches();
    add(variant ? Kind.VARIANT : Kind.SPACE, " ", "");
    at = end;
  }

  private void blockComment() {
    int depth = 0;
    int i = at;
    do {
      if (sql.startsWith("/*", i)) {
        depth++;
        i += 2;
      } else if (sql.startsWith("*/", i)) {
        depth--;
        i += 2;
      } else {
        i++;
      }
    } while (depth > 0 && i < sql.length());
    if (depth > 0) {
      throw new SqlSyntaxException(line, "the comment /* is not closed");
    }
    add(Kind.SPACE, " ", sql.substring(at, i));
    at = i;
  }

  private int literalEnd(int quote, boolean backslashes) {
    for (int i = quote + 1; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (backslashes && c == '\\') {
        i++;
      } else if (c == '\'') {
        if (!sql.startsWith("'", i + 1)) {
          return i + 1;
        }
        i++;
      }
    }
    throw new SqlSyntaxException(line, "the literal is not closed: a ' is missing");
  }

  private int closing(char quote, int from, String what) {
    int end = sql.indexOf(quote, from + 1);
    if (end < 0) {
      throw new SqlSyntaxException(
          line, "the %s is not closed: a %s is missing".formatted(what, quote));
    }
    return end + 1;
  }

  private void dollar() {
    Matcher tag = DOLLAR.matcher(sql).region(at, sql.length());
    if (tag.lookingAt()) {
      int end = sql.indexOf(tag.group(), tag.end());
      if (end < 0) {
        throw new SqlSyntaxException(
            line, "the text after %s is not closed".formatted(tag.group()));
      }
      take(Kind.QUOTED, end + tag.group().length());
      return;
    }
    Matcher numbered = NUMBERED.matcher(sql).region(at, sql.length());
    if (numbered.lookingAt()) {
      throw new SqlSyntaxException(
          line, numbered.group() + " has no name; write a parameter as :name");
    }
    take(Kind.SYMBOL, at + 1);
  }

  private void colon() {
    if (sql.startsWith("::", at) || sql.startsWith(":=", at)) {
      take(Kind.SYMBOL, at + 2);
      return;
    }
    Matcher name = NAME.matcher(sql).region(at + 1, sql.length());
    if (!name.lookingAt() || isSlice()) {
      take(Kind.SYMBOL, at + 1);
      return;
    }
    if (!name.group().equals(name.group().toLowerCase(java.util.Locale.ROOT))) {
      throw new SqlSyntaxException(
          line, "the parameter :%s has capitals; names are lower case".formatted(name.group()));
    }
    tokens.add(new Token(Kind.PARAMETER, name.group(), line));
    at = name.end();
  }

  /** Whether a colon in brackets stands between two bounds: something ends just before it. */
  private boolean isSlice() {
    if (brackets == 0) {
      return false;
    }
    for (int i = tokens.size() - 1; i >= 0; i--) {
      Token token = tokens.get(i);
      if (token.kind() != Kind.SPACE) {
        return token.kind() == Kind.WORD
            || token.kind() == Kind.PARAMETER
            || token.text().equals(")")
            || token.text().equals("]");
      }
    }
    return false;
  }

  private SqlSyntaxException backslash() {
    Matcher command = Pattern.compile("\\\\\\w*").matcher(sql).region(at, sql.length());
    String text = command.lookingAt() ? command.group() : "\\";
    String hint =
        text.equals("\\set") || text.equals("\\setrandom")
            ? "parameters stand in workload.yml, under workload.parameters"
            : "only statements are sent";
    return new SqlSyntaxException(
        line, "%s is a command of psql or pgbench; %s".formatted(text, hint));
  }
}
