package io.shardload.workload.documentstore.port;

import io.shardload.topology.Division;
import io.shardload.workload.CallFailure;
import io.shardload.workload.ShardShares;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The server's own information on how it runs the transactions and where it stores the documents.
 * Queried before and after a run, never during it; optional for drivers.
 */
public interface DocumentStoreEvidence extends ShardShares.Shards {
  /**
   * A store that executes nothing: for each call, the server explains the exact statement that the
   * driver's own store would send, with the same arguments, and the plan is passed on. Finds return
   * {@link DocumentStore#UNJUDGED}; writes return one changed row, but change none.
   */
  DocumentStore explainer(Consumer<QueryPlan> plans);

  /** The current location of the documents. */
  Storage storage() throws CallFailure;

  @Override
  default Map<String, BitSet> of(List<UUID> ids) throws CallFailure {
    return Map.of();
  }

  @Override
  default Optional<Division> division() throws CallFailure {
    return Optional.empty();
  }
}
