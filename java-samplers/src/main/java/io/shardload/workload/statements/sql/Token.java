package io.shardload.workload.statements.sql;

/**
 * A part of a file of SQL. The texts of all tokens in a row are the file, but for comments: of a
 * comment, only its line ends remain, or a space.
 *
 * @param text of a parameter: its name alone
 * @param line of its first character, from 1
 */
record Token(Kind kind, String text, int line) {
  enum Kind {
    /** White space, and what remains of comments. */
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
