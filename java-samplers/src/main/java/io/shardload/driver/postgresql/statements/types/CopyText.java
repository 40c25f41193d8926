package io.shardload.driver.postgresql.statements.types;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.shardload.driver.jdbc.statements.types.SqlType;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.postgresql.copy.CopyIn;

/**
 * Rows on their way to the server: in COPY's text format, where a row is a line, columns are parted
 * by tabs, and NULL is a backslash with N.
 */
public final class CopyText {
  private static final byte[] NULL = {'\\', 'N'};

  private final List<SqlType> columns;
  private byte[] bytes = new byte[1 << 16];
  private int length;

  /**
   * @param columns their types, in their order
   */
  public CopyText(List<SqlType> columns) {
    this.columns = columns;
  }

  /** Adds a row. */
  public void add(Object[] row) {
    for (int i = 0; i < row.length; i++) {
      byte[] value = row[i] == null ? NULL : columns.get(i).text(row[i]).getBytes(UTF_8);
      // Each byte may need a backslash; then comes a tab or the end of the line.
      if (bytes.length - length < 2 * value.length + 1) {
        bytes = Arrays.copyOf(bytes, 2 * (bytes.length + value.length));
      }
      if (row[i] == null) {
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
      } else {
        escape(value);
      }
      bytes[length++] = (byte) (i < row.length - 1 ? '\t' : '\n');
    }
  }

  /** Bytes that are not sent. */
  public int length() {
    return length;
  }

  /** A copy of them. */
  public byte[] bytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Sends them. */
  public void sendTo(CopyIn copy) throws SQLException {
    copy.writeToCopy(bytes, 0, length);
    length = 0;
  }

  private void escape(byte[] value) {
    for (byte one : value) {
      byte letter =
          switch (one) {
            case '\\' -> '\\';
            case '\n' -> 'n';
            case '\r' -> 'r';
            case '\t' -> 't';
            default -> 0;
          };
      if (letter != 0) {
        bytes[length++] = '\\';
      }
      bytes[length++] = letter == 0 ? one : letter;
    }
  }
}
