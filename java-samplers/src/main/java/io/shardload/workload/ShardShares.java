package io.shardload.workload;

import io.shardload.data.KeyDistribution;
import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.topology.Division;
import io.shardload.topology.ShardShare;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * The share of each shard, computed from its tenants: the documents were assigned to the tenants in
 * turn, and the key distribution determines how often each document is chosen. Inserts go to the
 * tenants in turn and do not count.
 *
 * @param documents that the load makes
 * @param tenants to which they belong in turn
 * @param id of a tenant
 * @param ranks how transactions choose among the documents
 */
public record ShardShares(
    long documents, int tenants, LongFunction<UUID> id, KeyDistribution ranks, int generators) {
  /** Maximum number of tenants to look up on a server; about half a second on Citus. */
  static final int MOST_TENANTS = 200_000;

  /** Ranks of all generators together that are counted individually; the rest is spread evenly. */
  private static final int MOST_RANKS = 1_000_000;

  /** What the server knows of the shards. */
  @FunctionalInterface
  public interface Shards {
    /** Nothing. */
    Shards NONE = Optional::empty;

    /**
     * The shards, each with the indexes of the ids whose documents it holds. Empty if the id does
     * not determine the shard, if there are several copies, or if the server must search the
     * documents to find out.
     */
    default Map<String, BitSet> of(List<UUID> ids) throws CallFailure {
      return Map.of();
    }

    /** How many documents each shard holds; empty if this requires reading all documents. */
    Optional<Division> division() throws CallFailure;
  }

  /** Empty if there is one shard, or if it is not known. */
  public List<ShardShare> read(Shards shards) throws CallFailure {
    if (tenants <= MOST_TENANTS) {
      List<UUID> ids = LongStream.range(0, tenants).mapToObj(id).toList();
      Map<String, BitSet> byShard = shards.of(ids);
      if (!byShard.isEmpty()) {
        return byShard.size() > 1 ? ofTenants(byShard) : List.of();
      }
    }
    Optional<Division> division = shards.division();
    return division.isPresent() ? ofDocuments(division.get()) : List.of();
  }

  private List<ShardShare> ofTenants(Map<String, BitSet> byShard) {
    double[] held = documentsOfTenants();
    double[] chosen = ranks.skewed() ? operationsOfTenants() : held;
    List<ShardShare> shares = new ArrayList<>();
    byShard.forEach(
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
    boolean even = division.byId() && !ranks.skewed();
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
    double[] shares = new double[tenants];
    for (int tenant = 0; tenant < shares.length; tenant++) {
      long more = tenant < documents % shares.length ? 1 : 0;
      shares[tenant] = (double) (documents / shares.length + more) / documents;
    }
    return shares;
  }

  /** Each generator has its own likely documents; generators without documents do not count. */
  private double[] operationsOfTenants() {
    double[] shares = new double[tenants];
    for (int i = 0; i < generators; i++) {
      add(shares, new Ownership(i, generators, documents));
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
    double[] likely = ranks.probabilities(count, Math.max(1000, MOST_RANKS / generators));
    long stride = Keys.strideOfRanks(count);
    double rest = 1;
    for (int rank = 0; rank < likely.length; rank++) {
      long ordinal = owned.ordinalAt(rank * stride % count);
      shares[(int) (ordinal % tenants)] += likely[rank];
      rest -= likely[rank];
    }
    for (int tenant = 0; tenant < shares.length; tenant++) {
      shares[tenant] += Math.max(0, rest) / shares.length;
    }
  }
}
