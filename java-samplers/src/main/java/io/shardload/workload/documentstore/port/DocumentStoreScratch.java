package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;

/**
 * A second set of the workload's tables in a separate schema or database, for operations that must
 * not touch the user's data. One process at a time uses it. Leftovers of an earlier process are
 * dropped first; objects that shardload did not create are refused.
 */
public interface DocumentStoreScratch extends AutoCloseable {
  /** The loader of real loads, on the scratch tables; the schema has been created. */
  DocumentStoreAdmin admin();

  /** The store of real runs, on the scratch tables. */
  DocumentStore store();

  /** Drops the tables. */
  @Override
  void close() throws CallFailure;
}
