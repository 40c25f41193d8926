package io.shardload.workload.statements.calls;

import java.util.Locale;

/** What a transaction does to a row of the entity: the key {@code entity}. */
public enum Effect {
  INSERT,
  UPDATE,
  DELETE,
  READ;

  /** The value in {@code workload.yml}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
