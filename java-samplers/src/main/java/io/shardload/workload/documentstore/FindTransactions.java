package io.shardload.workload.documentstore;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.documentstore.Find.Query;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The seven finds of the workload, one method each. Every find has a condition on id, so with id as
 * shard key each find goes to one shard. A list find selects the probe's own value and one more
 * value of the same tenant.
 */
final class FindTransactions {
  private static final int LIST = DocumentStore.LIMIT;

  private final Documents documents;
  private final Shape shape;

  FindTransactions(Documents documents, Shape shape) {
    this.documents = documents;
    this.shape = shape;
  }

  /** The document itself, by its whole key. */
  Find byIdAndFilter1() {
    return find(
        "find-by-id-and-filter1",
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          String filter1 = documents.filter1(probe);
          return new Query(
              (store, phases) -> store.findByIdAndFilter1(id, filter1, phases),
              ofTenant(id).and(row -> filter1.equals(row.filter1())),
              1);
        });
  }

  /** Any document with the value. */
  Find byIdAndFilter2() {
    return find(
        "find-by-id-and-filter2",
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          String filter2 = documents.filter2(probe, edition);
          return new Query(
              (store, phases) -> store.findByIdAndFilter2(id, filter2, phases),
              ofTenant(id).and(row -> filter2.equals(row.filter2())),
              1);
        });
  }

  Find byIdAndFilter2List() {
    return find(
        "find-by-id-and-filter2-list",
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          List<String> values =
              List.of(
                  documents.filter2(probe, edition),
                  documents.otherFilter2(probe, draws.nextLong()));
          return new Query(
              (store, phases) -> store.findByIdAndFilter2List(id, values, phases),
              ofTenant(id).and(row -> among(values, row.filter2())),
              LIST);
        });
  }

  /**
   * Documents up to a bound: the filter3 of the probe, which here is the smallest among some live
   * documents of a tenant. The minimum of n/r uniform values out of n has rank r on average, so
   * about rows-per-find rows come back.
   */
  Find byIdAndFilter3Lte() {
    return new Find(
        "find-by-id-and-filter3-lte",
        documents,
        this::smallestFilter3,
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          long bound = documents.filter3(probe, edition);
          return new Query(
              (store, phases) -> store.findByIdAndFilter3Lte(id, bound, phases),
              ofTenant(id).and(row -> row.filter3() <= bound),
              LIST);
        });
  }

  Find byIdAndFilter4List() {
    return find(
        "find-by-id-and-filter4-list",
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          List<String> values =
              List.of(
                  documents.filter4(probe, edition),
                  documents.otherFilter4(probe, draws.nextLong()));
          return new Query(
              (store, phases) -> store.findByIdAndFilter4List(id, values, phases),
              ofTenant(id).and(row -> among(values, row.filter4())),
              LIST);
        });
  }

  Find byIdAndFilter4AndFilter5List() {
    return find(
        "find-by-id-and-filter4-and-filter5-list",
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          String filter4 = documents.filter4(probe, edition);
          List<String> values =
              List.of(
                  documents.filter5(probe, edition),
                  documents.otherFilter5(probe, draws.nextLong()));
          return new Query(
              (store, phases) ->
                  store.findByIdAndFilter4AndFilter5List(id, filter4, values, phases),
              ofTenant(id)
                  .and(row -> filter4.equals(row.filter4()) && among(values, row.filter5())),
              LIST);
        });
  }

  Find byIdAndFilter5() {
    return find(
        "find-by-id-and-filter5",
        (probe, edition, draws) -> {
          UUID id = documents.id(probe);
          String filter5 = documents.filter5(probe, edition);
          return new Query(
              (store, phases) -> store.findByIdAndFilter5(id, filter5, phases),
              ofTenant(id).and(row -> filter5.equals(row.filter5())),
              LIST);
        });
  }

  private long smallestFilter3(Draws draws, Keys keys) {
    long probe = keys.pickLive(draws);
    if (probe < 0) {
      return probe;
    }
    long tenant = documents.tenant(probe);
    long smallest = documents.filter3(probe, State.edition(keys.state(probe)));
    long companions = shape.perTenant() / shape.rowsPerFind() - 1;
    // Documents of other generators do not count, but the number of tries is limited anyway.
    for (long tries = 0, found = 0; found < companions && tries < 8 * companions; tries++) {
      long ordinal = tenant + draws.next(shape.perTenant()) * shape.tenants();
      short state = keys.state(ordinal);
      if (State.settledLive(state)) {
        found++;
        long value = documents.filter3(ordinal, State.edition(state));
        if (value < smallest) {
          smallest = value;
          probe = ordinal;
        }
      }
    }
    return probe;
  }

  private Find find(String name, Find.QueryMaker maker) {
    return new Find(name, documents, (draws, keys) -> keys.pickLive(draws), maker);
  }

  private static Predicate<Document> ofTenant(UUID id) {
    return row -> id.equals(row.id());
  }

  /** Unlike {@code List.contains}, false for null. */
  private static boolean among(List<String> values, String value) {
    return value != null && values.contains(value);
  }
}
