package io.shardload.workload.statements.sql;

/** A file of SQL that cannot be read further than a line. */
public final class SqlSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;

  SqlSyntaxException(int line, String message) {
    super(message);
    this.line = line;
  }

  /** From 1. */
  public int line() {
    return line;
  }
}
