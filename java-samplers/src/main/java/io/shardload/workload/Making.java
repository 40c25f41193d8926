package io.shardload.workload;

import java.util.List;

/**
 * How a schema is created: what is dropped before it, and who writes down what was made.
 *
 * @param again whether the schema replaces an existing one
 * @param drop the objects to drop, as far as they still exist with this identity
 * @param recorder receives the objects that were made: within the transaction that makes them if
 *     the system has one, and otherwise as soon as each exists
 */
public record Making(boolean again, List<DataObject> drop, Recorder recorder) {
  /** Drops nothing, and nobody writes down what was made: for scratch tables. */
  public static final Making UNRECORDED = new Making(false, List.of(), made -> {});

  public Making {
    drop = List.copyOf(drop);
  }

  /** Writes down what was made. */
  @FunctionalInterface
  public interface Recorder {
    void made(List<DataObject> objects) throws CallFailure;
  }
}
