package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.sql.Token.Kind;

/** Question marks that are operators, such as those of jsonb. */
public final class Operators {
  private Operators() {}

  /**
   * A statement's text with {@code ?} instead of each parameter, and {@code ??} instead of each
   * question mark of an operator, as pgjdbc requires. Question marks in literals and in names in
   * quotes stay as they are.
   */
  public static String jdbc(SqlStatement statement, SqlRules rules) {
    StringBuilder text = new StringBuilder();
    for (Token token :
        Lexer.tokens(statement.place().file(), statement.with(":p"), rules, false, p -> {})) {
      text.append(token.kind() == Kind.PARAMETER ? "?" : token.is("?") ? "??" : token.text());
    }
    return text.toString();
  }
}
