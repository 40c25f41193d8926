package io.shardload.driver.mariadb;

import io.shardload.driver.jdbc.statements.types.Limit;
import io.shardload.driver.jdbc.statements.types.SqlType;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * MariaDB's types. Values go in their own types, and the server converts them: it names no type of
 * a parameter. Times go without a zone, because the connector converts others by the JVM's zone.
 */
final class ServerType extends SqlType {
  private static final Instant YEAR_0 = Instant.parse("0000-01-01T00:00:00Z");

  private ServerType(Kind kind, String name) {
    super(kind, name);
  }

  /** By its name in information_schema, or as the connector has it. */
  static ServerType of(String name, long length) {
    String word = name.toLowerCase(Locale.ROOT);
    return new ServerType(
        switch (word) {
          case "tinyint", "tinyint unsigned", "smallint" -> Kind.INT2;
          case "smallint unsigned", "mediumint", "mediumint unsigned", "int", "integer" ->
              Kind.INT4;
          case "int unsigned", "integer unsigned", "bigint", "bigint unsigned" -> Kind.INT8;
          case "decimal", "decimal unsigned" -> Kind.NUMERIC;
          case "float" -> Kind.FLOAT4;
          case "double" -> Kind.FLOAT8;
          case "boolean", "bit" -> Kind.BOOLEAN;
          case "char" -> Kind.PADDED;
          case "varchar", "tinytext", "text", "mediumtext", "longtext", "enum" -> Kind.TEXT;
          case "json" -> Kind.JSON;
          case "uuid" -> Kind.UUID;
          case "binary" -> length == 16 ? Kind.UUID : Kind.BYTES;
          case "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> Kind.BYTES;
          case "datetime", "timestamp" -> Kind.TIMESTAMP;
          case "date" -> Kind.DATE;
          default -> Kind.OTHER;
        },
        word);
  }

  /** The type in which a value goes of itself; a value that is not known yet may be a time. */
  static SqlType ofValue(Object value) {
    boolean time = value == null || value instanceof Instant;
    return new ServerType(time ? Kind.TIMESTAMP : kindOf(value), "");
  }

  /** What a column of this type keeps; only these have a limit of characters or digits. */
  Limit limit(int precision, int scale) {
    boolean limited = serverName().matches("char|varchar|decimal.*");
    return new Limit(this, limited ? precision : 0, limited ? scale : 0);
  }

  @Override
  protected void setText(PreparedStatement statement, int index, String text) throws SQLException {
    statement.setString(index, text);
  }

  @Override
  protected void setUuid(PreparedStatement statement, int index, UUID value) throws SQLException {
    if (serverName().equals("binary")) {
      ByteBuffer bytes = ByteBuffer.allocate(16).putLong(value.getMostSignificantBits());
      statement.setBytes(index, bytes.putLong(value.getLeastSignificantBits()).array());
    } else {
      super.setUuid(statement, index, value);
    }
  }

  @Override
  protected Object readUuid(ResultSet row, int index) throws SQLException {
    byte[] bytes = serverName().equals("binary") ? row.getBytes(index) : null;
    return bytes == null
        ? super.readUuid(row, index)
        : new UUID(ByteBuffer.wrap(bytes).getLong(), ByteBuffer.wrap(bytes, 8, 8).getLong());
  }

  /** {@inheritDoc} Sessions have TIME_ROUND_FRACTIONAL: a half goes up. */
  @Override
  protected Instant kept(Instant time, int digits) {
    return rounded(time, digits, YEAR_0);
  }
}
