package io.shardload.workload;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;

/**
 * One named operation of a workload. Stateless and thread-safe.
 *
 * @param <P> the workload's port
 */
public interface Transaction<P> {
  /** Kebab-case, verb first; the same in the mix, the label, the tag and the report. */
  String name();

  /** Whether it changes documents, and so leaves an entry in the journal. */
  default boolean writes() {
    return false;
  }

  /** Untimed: draws the keys, claims the documents to write, generates all values. */
  Call<P> prepare(Draws draws, Keys keys);

  /** Whether preparing it takes a key that was never used. */
  default boolean takesNewKeys() {
    return false;
  }
}
