package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.sql.SqlLexer.Kind;
import io.shardload.workload.statements.sql.SqlLexer.Token;

/** For clients that take a question mark for a parameter, as JDBC does. */
public final class Operators {
  private Operators() {}

  /**
   * Doubles the question marks of operators such as {@code ?|}, but not those in literals and
   * quoted names.
   *
   * @param piece of {@link io.shardload.workload.statements.port.SqlStatement#pieces}
   */
  public static String doubled(String piece) {
    if (piece.indexOf('?') < 0) {
      return piece;
    }
    StringBuilder text = new StringBuilder();
    for (Token token : SqlLexer.tokens(piece)) {
      boolean operator = token.kind() == Kind.SYMBOL && token.text().equals("?");
      // The upper bound of a slice, whose bracket stands in the piece before.
      String colon = token.kind() == Kind.PARAMETER ? ":" : "";
      text.append(operator ? "??" : colon + token.text());
    }
    return text.toString();
  }
}
