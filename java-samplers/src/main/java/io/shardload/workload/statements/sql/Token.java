package io.shardload.workload.statements.sql;

/**
 * A part of a file of SQL. The texts of all tokens together are the file, except for comments: a
 * comment is reduced to its line ends, or to a space.
 *
 * @param text for a parameter, only its name
 * @param line of its first character, from 1
 */
record Token(Kind kind, String text, int line) {
  enum Kind {
    /** White space and reduced comments. */
    SPACE,
    /** The line {@code -- variant}. */
    VARIANT,
    /** A keyword or a name without quotes. */
    WORD,
    NUMBER,
    /** A literal or a name in quotes of any kind. */
    QUOTED,
    PARAMETER,
    SEMICOLON,
    /** An operator's character, a bracket or a comma; also {@code ::} and {@code :=}. */
    SYMBOL
  }

  boolean is(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  boolean isWord(String word) {
    return kind == Kind.WORD && text.equalsIgnoreCase(word);
  }
}
