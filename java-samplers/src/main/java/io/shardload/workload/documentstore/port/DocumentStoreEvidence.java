package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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

  /**
   * The shards, each with the indexes of those ids whose documents lie on it; empty if something
   * else than the id decides, if there are several copies, or if the server cannot say so without
   * looking for the documents.
   */
  default Map<String, BitSet> shardsOf(List<UUID> ids) throws CallFailure {
    return Map.of();
  }

  /** How many documents each shard holds; empty if it is not known without reading them all. */
  default Optional<Division> division() throws CallFailure {
    return Optional.empty();
  }
}
