package io.shardload.jenkins.grammar;

import groovy.lang.GString;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The type of an argument. */
public enum Type {
  STRING,
  NUMBER,
  BOOLEAN,
  LIST,
  MAP,
  OBJECT;

  /** The type of a value in a running pipeline; null for no value. */
  public static Type of(Object value) {
    if (value instanceof String || value instanceof GString) {
      return STRING;
    }
    if (value instanceof Number) {
      return NUMBER;
    }
    if (value instanceof Boolean) {
      return BOOLEAN;
    }
    if (value instanceof List) {
      return LIST;
    }
    return value instanceof Map ? MAP : OBJECT;
  }

  public boolean accepts(Type other) {
    return this == OBJECT || this == other;
  }

  /** The name with its article, for messages. */
  public String described() {
    return (this == OBJECT ? "an " : "a ") + name().toLowerCase(Locale.ROOT);
  }
}
