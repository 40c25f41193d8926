package io.shardload.driver.postgresql.statements.types;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import io.shardload.driver.jdbc.statements.types.SqlType;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Map;
import org.postgresql.util.PGobject;

/** PostgreSQL's types. */
public final class ServerType extends SqlType {
  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("int2", Kind.INT2),
          Map.entry("smallserial", Kind.INT2),
          Map.entry("int4", Kind.INT4),
          Map.entry("serial", Kind.INT4),
          Map.entry("int8", Kind.INT8),
          Map.entry("bigserial", Kind.INT8),
          Map.entry("numeric", Kind.NUMERIC),
          Map.entry("float4", Kind.FLOAT4),
          Map.entry("float8", Kind.FLOAT8),
          Map.entry("text", Kind.TEXT),
          Map.entry("varchar", Kind.TEXT),
          Map.entry("char", Kind.TEXT),
          Map.entry("name", Kind.TEXT),
          Map.entry("bpchar", Kind.PADDED),
          Map.entry("uuid", Kind.UUID),
          Map.entry("timestamptz", Kind.TIMESTAMPTZ),
          Map.entry("timestamp", Kind.TIMESTAMP),
          Map.entry("date", Kind.DATE),
          Map.entry("bool", Kind.BOOLEAN),
          Map.entry("json", Kind.JSON),
          Map.entry("jsonb", Kind.JSON),
          Map.entry("bytea", Kind.BYTES),
          Map.entry("anyarray", Kind.ARRAY));

  /** The server rounds halves of a second's parts away from this time. */
  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

  /** Whether it is a text that pgjdbc knows by its name, without asking the server. */
  private final boolean isKnownText;

  private ServerType(Kind kind, String name) {
    super(kind, name);
    isKnownText = isText() && KINDS.containsKey(name);
  }

  /** By the name in {@code pg_type}, and by those that pgjdbc has for columns with a sequence. */
  public static ServerType of(String name) {
    // The server puts it before the name of an element's type.
    return new ServerType(
        KINDS.getOrDefault(name, name.startsWith("_") ? Kind.ARRAY : Kind.OTHER), name);
  }

  /** The same name, with the kind of another type. */
  ServerType like(String other) {
    return new ServerType(of(other).kind(), serverName());
  }

  /** The type in which a value goes of itself. */
  static ServerType ofValue(Object value) {
    return new ServerType(kindOf(value), "");
  }

  @Override
  protected void setNull(PreparedStatement statement, int index) throws SQLException {
    if (isKnownText) {
      statement.setNull(index, Types.VARCHAR, serverName());
    } else {
      super.setNull(statement, index);
    }
  }

  /**
   * {@inheritDoc} A text has the type that the server gave the place: before each use of a
   * statement that it describes, as one of untyped parameters, pgjdbc waits for a Sync of its own.
   */
  @Override
  protected void setText(PreparedStatement statement, int index, String text) throws SQLException {
    if (isKnownText) {
      PGobject typed = new PGobject();
      typed.setType(serverName());
      typed.setValue(text);
      statement.setObject(index, typed);
    } else {
      super.setText(statement, index, text);
    }
  }

  @Override
  public String text(Object value) {
    return kind() == Kind.ARRAY && value instanceof JsonArray list
        ? ArrayText.of(list)
        : super.text(value);
  }

  @Override
  protected boolean holds(Object array, JsonArray list) {
    return array != null && ArrayText.holds(ArrayText.read((String) array), list);
  }

  @Override
  protected boolean contains(Object array, JsonElement value) {
    return array != null && ArrayText.contains((String) array, value);
  }

  @Override
  protected Instant kept(Instant time, int digits) {
    return rounded(time, digits, EPOCH);
  }

  @Override
  public String readable() {
    return switch (serverName()) {
      case "int2", "smallserial" -> "smallint";
      case "int4", "serial" -> "integer";
      case "int8", "bigserial" -> "bigint";
      case "float4" -> "real";
      case "float8" -> "double precision";
      case "bool" -> "boolean";
      case "bpchar" -> "character";
      default -> serverName();
    };
  }
}
