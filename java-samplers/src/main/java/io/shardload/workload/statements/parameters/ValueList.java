package io.shardload.workload.statements.parameters;

import io.shardload.Sha256;
import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.ValueType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Values of one type, at least one. Immutable and thread-safe.
 *
 * @param source the origin of the values, as text
 */
public record ValueList(String source, ValueType type, List<Object> values) {
  public ValueList {
    values = List.copyOf(values);
  }

  /**
   * The result of a query.
   *
   * @param key of the parameter, for messages; no message contains a value
   */
  public static ValueList ofQuery(String key, ValueType type, List<Object> returned) {
    if (returned.isEmpty()) {
      throw new ConfigException(key, "has no values: the query returned no row");
    }
    List<Object> values = new ArrayList<>(returned.size());
    for (int i = 0; i < returned.size(); i++) {
      Object one = returned.get(i);
      String which = "row " + (i + 1) + " of the query ";
      if (one == null) {
        throw new ConfigException(key, which + "has NULL in its first column");
      }
      Optional<Object> value = Conversion.of(one, type);
      values.add(
          value.orElseThrow(
              () ->
                  new ConfigException(
                      key,
                      which
                          + "has a value that is not of type %s; a CAST in the query converts it"
                              .formatted(type.label()))));
    }
    return new ValueList("query", type, values);
  }

  public int size() {
    return values.size();
  }

  /** A value by its position, from 0. */
  public Object get(int index) {
    return values.get(index);
  }

  /** Source, number and hash for the run bundle; never the values. */
  public Map<String, Object> describe() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("source", source);
    all.put("type", type.label());
    all.put("count", values.size());
    all.put("sha256", hash());
    return all;
  }

  /** SHA-256 over the values as text, each followed by a zero byte. */
  private String hash() {
    MessageDigest digest = Sha256.digest();
    for (Object value : values) {
      digest.update(value.toString().getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
