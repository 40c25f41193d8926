package io.shardload.workload.documentstore;

import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.topology.ShardShare;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Division;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.stream.LongStream;

/**
 * The share of each shard, computed from its tenants: the documents were assigned to the tenants in
 * turn, and the key distribution determines how often each document is chosen. Inserts go to the
 * tenants in turn and do not count.
 */
record ShardShares(Shape shape, Documents documents, int generators) {
  /** Maximum number of tenants to look up on a server; about half a second on Citus. */
  static final int MOST_TENANTS = 200_000;

  /** Ranks of all generators together that are counted individually; the rest is spread evenly. */
  private static final int MOST_RANKS = 1_000_000;

  /** Empty if there is one shard, or if it is not known. */
  List<ShardShare> read(DocumentStoreEvidence evidence) throws CallFailure {
    if (shape.tenants() <= MOST_TENANTS) {
      List<UUID> ids = LongStream.range(0, shape.tenants()).mapToObj(documents::id).toList();
      Map<String, BitSet> tenants = evidence.shardsOf(ids);
      if (!tenants.isEmpty()) {
        return tenants.size() > 1 ? ofTenants(tenants) : List.of();
      }
    }
    Optional<Division> division = evidence.division();
    return division.isPresent() ? ofDocuments(division.get()) : List.of();
  }

  private List<ShardShare> ofTenants(Map<String, BitSet> tenants) {
    double[] held = documentsOfTenants();
    double[] chosen = shape.ranks().skewed() ? operationsOfTenants() : held;
    List<ShardShare> shares = new ArrayList<>();
    tenants.forEach(
        (shard, its) ->
            shares.add(
                new ShardShare(
                    shard,
                    its.stream().mapToDouble(tenant -> held[tenant]).sum(),
                    OptionalDouble.of(its.stream().mapToDouble(tenant -> chosen[tenant]).sum()))));
    return shares;
  }

  /** Each document is equally likely, or the likely documents are not known. */
  private List<ShardShare> ofDocuments(Division division) {
    long all = division.documents().values().stream().mapToLong(Long::longValue).sum();
    if (division.documents().size() < 2 || all == 0) {
      return List.of();
    }
    boolean even = division.byId() && !shape.ranks().skewed();
    List<ShardShare> shares = new ArrayList<>();
    division
        .documents()
        .forEach(
            (shard, count) -> {
              double share = (double) count / all;
              shares.add(
                  new ShardShare(
                      shard, share, even ? OptionalDouble.of(share) : OptionalDouble.empty()));
            });
    return shares;
  }

  private double[] documentsOfTenants() {
    double[] shares = new double[shape.tenants()];
    for (int tenant = 0; tenant < shares.length; tenant++) {
      long more = tenant < shape.documents() % shares.length ? 1 : 0;
      shares[tenant] = (double) (shape.documents() / shares.length + more) / shape.documents();
    }
    return shares;
  }

  /** Each generator has its own likely documents; generators without documents do not count. */
  private double[] operationsOfTenants() {
    double[] shares = new double[shape.tenants()];
    for (int i = 0; i < generators; i++) {
      add(shares, new Ownership(i, generators, shape.documents()));
    }
    double sum = 0;
    for (double share : shares) {
      sum += share;
    }
    for (int tenant = 0; tenant < shares.length; tenant++) {
      shares[tenant] /= sum;
    }
    return shares;
  }

  private void add(double[] shares, Ownership owned) {
    long count = owned.ownedLoaded();
    if (count == 0) {
      return;
    }
    double[] likely = shape.ranks().probabilities(count, Math.max(1000, MOST_RANKS / generators));
    long stride = Keys.strideOfRanks(count);
    double rest = 1;
    for (int rank = 0; rank < likely.length; rank++) {
      long ordinal = owned.ordinalAt(rank * stride % count);
      shares[(int) documents.tenant(ordinal)] += likely[rank];
      rest -= likely[rank];
    }
    for (int tenant = 0; tenant < shares.length; tenant++) {
      shares[tenant] += Math.max(0, rest) / shares.length;
    }
  }
}
