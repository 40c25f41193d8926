package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.sql.SqlLexer.Kind;
import io.shardload.workload.statements.sql.SqlLexer.Token;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What the words of a statement tell.
 *
 * @param verb the first word; of a statement with CTEs the word that follows these
 * @param writes whether the statement or one of its CTEs changes data. A function may change data,
 *     too, and {@code SELECT ... FOR UPDATE} locks rows: both count as reading
 */
record Words(String verb, boolean writes) {
  private static final Set<String> WRITING = Set.of("insert", "update", "delete", "merge");
  private static final Set<String> MAIN =
      Set.of("select", "insert", "update", "delete", "merge", "values", "table");

  /** Reads the tokens of one statement, without those of space. */
  static Words of(List<Token> tokens) {
    String first = word(tokens.get(0));
    if (!first.equals("with")) {
      return new Words(first, WRITING.contains(first));
    }
    String verb = first;
    boolean writes = false;
    int depth = 0;
    for (int i = 1; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += token.text().equals("(") ? 1 : token.text().equals(")") ? -1 : 0;
      String word = word(token);
      if (depth == 0 && verb.equals(first) && MAIN.contains(word) && !follows(tokens, i, "as")) {
        verb = word;
        writes |= WRITING.contains(word);
      }
      // A CTE begins after its parenthesis; elsewhere the words are those of FOR UPDATE and others.
      writes |= WRITING.contains(word) && tokens.get(i - 1).text().equals("(");
    }
    return new Words(verb, writes);
  }

  private static boolean follows(List<Token> tokens, int at, String word) {
    return word(tokens.get(at - 1)).equals(word);
  }

  private static String word(Token token) {
    return token.kind() == Kind.WORD ? token.text().toLowerCase(Locale.ROOT) : "";
  }
}
