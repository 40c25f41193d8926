package io.shardload.workload.statements.port;

/** The type of a parameter's or a column's values, each with one Java class. */
public enum ValueType {
  /** {@link Long}. */
  INTEGER("integer"),
  /** {@link java.math.BigDecimal}. */
  DECIMAL("decimal"),
  /** {@link java.util.UUID}. */
  UUID("uuid"),
  /** {@link String}. */
  TEXT("text"),
  /** {@link java.time.Instant}; generated ones to the millisecond. */
  TIMESTAMP("timestamp"),
  /** {@link Boolean}. */
  BOOLEAN("boolean"),
  /** {@link com.google.gson.JsonElement}. */
  JSON("json"),
  /** {@link com.google.gson.JsonArray}. */
  LIST("list"),
  /** A value that an earlier statement returned, as the driver holds it. */
  CAPTURED("captured");

  private final String label;

  ValueType(String label) {
    this.label = label;
  }

  /** The name in {@code workload.yml} and in messages. */
  public String label() {
    return label;
  }
}
