package io.shardload.driver.postgresql.statements.types;

import io.shardload.driver.jdbc.statements.types.SqlType;
import java.util.List;

/**
 * Values as the server reads them: in COPY's text format, where a row is a line, columns are parted
 * by tabs, and NULL is a backslash with N.
 */
public final class CopyText {
  private final List<SqlType> columns;
  private final StringBuilder text = new StringBuilder();

  /**
   * @param columns their types, in their order
   */
  public CopyText(List<SqlType> columns) {
    this.columns = columns;
  }

  /** Adds a row. */
  public void add(Object[] row) {
    for (int i = 0; i < row.length; i++) {
      if (i > 0) {
        text.append('\t');
      }
      if (row[i] == null) {
        text.append("\\N");
      } else {
        escape(columns.get(i).text(row[i]));
      }
    }
    text.append('\n');
  }

  /** Characters so far. */
  public int length() {
    return text.length();
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> text.append(c);
      }
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
