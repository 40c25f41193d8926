package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;

/**
 * The workload's tables once more, in a place of their own beside the user's: for what must not
 * touch the user's data. One process at a time has it. What an earlier one left behind is dropped
 * first; what is not ours is refused.
 */
public interface DocumentStoreScratch extends AutoCloseable {
  /** The loader that real loads use, working here; the schema has been created. */
  DocumentStoreAdmin admin();

  /** The store that real runs use, working here. */
  DocumentStore store();

  /** Drops the tables. */
  @Override
  void close() throws CallFailure;
}
