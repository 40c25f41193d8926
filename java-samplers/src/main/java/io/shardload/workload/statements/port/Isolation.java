package io.shardload.workload.statements.port;

/** How the statements of one transaction belong together. */
public enum Isolation {
  /** Each statement is a transaction of its own. */
  NONE("none"),
  /** One database transaction at the level that the server has by default. */
  DEFAULT("default"),
  READ_COMMITTED("read-committed"),
  REPEATABLE_READ("repeatable-read"),
  SERIALIZABLE("serializable");

  private final String label;

  Isolation(String label) {
    this.label = label;
  }

  /** The name in {@code workload.yml}. */
  public String label() {
    return label;
  }

  /** Whether the statements take effect together or not at all. */
  public boolean atomic() {
    return this != NONE;
  }
}
