package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import java.util.function.Consumer;

/**
 * What the server itself says of how it runs the transactions and where it keeps the documents.
 * Asked before and after a run, never during it; drivers may do without.
 */
public interface DocumentStoreEvidence {
  /**
   * A store that executes nothing: each call has the server explain the very statement that the
   * driver's own store would send, with the same arguments, and tells the plan. Finds return {@link
   * DocumentStore#UNJUDGED}; writes say that one row was changed, and change none.
   */
  DocumentStore explainer(Consumer<QueryPlan> plans);

  /** Where the documents lie now. */
  Storage storage() throws CallFailure;
}
