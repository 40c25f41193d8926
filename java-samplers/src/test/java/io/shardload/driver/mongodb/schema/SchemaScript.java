package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.FakeRouter.rows;

import com.google.gson.JsonParser;
import com.mongodb.client.MongoClient;
import io.shardload.config.Options;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.Progress;
import java.util.List;

/** What the scripts for the fake router have in common: literals, and a clock that they own. */
public final class SchemaScript {
  public static final int NO_SUCH_NAMESPACE = 26;
  public static final int CONFLICTING_OPERATION = 117;

  public static final String LIST_COLLECTIONS =
      "{listCollections: 1, cursor: {}, filter: {name: 'data_table'}}";
  public static final String PLAIN =
      "{name: 'data_table', type: 'collection', options: {capped: false}, info: {readOnly: false}}";
  public static final String LIST_INDEXES = "{listIndexes: 'data_table', cursor: {}}";
  public static final String ANY_DOCUMENT =
      "{find: 'data_table', filter: {}, projection: {_id: 1}, limit: 1, singleBatch: true}";
  public static final String SHARDED =
      "{find: 'collections', filter: {_id: 'app.data_table'}, limit: 1, singleBatch: true}";
  public static final String ZONES =
      "{find: 'tags', filter: {ns: 'app.data_table'}, sort: {min: 1}}";
  public static final String CHUNKS =
      "{find: 'chunks', filter: {$or: [{ns: 'app.data_table'}, {uuid: 7}]}, sort: {min: 1}}";
  public static final String ENABLE = "{enableSharding: 'app'}";
  public static final String INDEXES_HASHED =
      """
      {createIndexes: 'data_table', indexes: [
        {name: 'data_table_id_filter1', key: {id: 1, filter1: 1}, unique: true},
        {name: 'data_table_filter1', key: {filter1: 'hashed'}},
        {name: 'data_table_filter4', key: {filter4: 'hashed'}},
        {name: 'data_table_filter5', key: {filter5: 'hashed'}},
        {name: 'data_table_id_filter2', key: {id: 1, filter2: 1}},
        {name: 'data_table_id_filter3', key: {id: 1, filter3: 1}},
        {name: 'data_table_id_hashed', key: {id: 'hashed'}}]}""";
  public static final String INDEXES_RANGED =
      """
      {createIndexes: 'data_table', indexes: [
        {name: 'data_table_id_filter1', key: {id: 1, filter1: 1}, unique: true},
        {name: 'data_table_filter1', key: {filter1: 1}},
        {name: 'data_table_filter4', key: {filter4: 1}},
        {name: 'data_table_filter5', key: {filter5: 1}},
        {name: 'data_table_id_filter2', key: {id: 1, filter2: 1}},
        {name: 'data_table_id_filter3', key: {id: 1, filter3: 1}}]}""";
  public static final String SHARD_HASHED =
      "{shardCollection: 'app.data_table', key: {id: 'hashed'}}";
  public static final String SHARD_RANGED =
      "{shardCollection: 'app.data_table', key: {id: 1, filter1: 1}, unique: true}";
  public static final String BALANCED = "{balancerCollectionStatus: 'app.data_table'}";
  public static final String COMPLIANT = "{ok: 1, balancerCompliant: true}";
  public static final String LIST_SHARDS = "{listShards: 1}";
  public static final String TWO_SHARDS =
      "{ok: 1, shards: [{_id: 's1', host: 's1/h1:1', state: 1}, {_id: 's0', host: 's0/h0:1'}]}";

  public static final String HASHED = "{shard-key: hashed}";
  public static final String RANGED = "{shard-key: id-filter1, index: ascending}";
  public static final String RANGED_OF_FOUR =
      "{shard-key: id-filter1, index: ascending, initial-chunks: 4}";

  public static final String Q1 = place("40000000-0000-0000-0000-000000000000");
  public static final String Q2 = place("80000000-0000-0000-0000-000000000000");
  public static final String Q3 = place("c0000000-0000-0000-0000-000000000000");
  public static final String FIRST = "{id: {$minKey: 1}, filter1: {$minKey: 1}}";
  public static final String LAST = "{id: {$maxKey: 1}, filter1: {$maxKey: 1}}";

  public static final String SHARDED_BY_RANGE =
      "{_id: 'app.data_table', uuid: 7, key: {id: 1.0, filter1: 1.0}}";
  public static final String SHARDED_BY_HASH =
      "{_id: 'app.data_table', uuid: 7, key: {id: 'hashed'}}";
  public static final String IMBALANCE =
      "{ok: 1, balancerCompliant: false, firstComplianceViolation: 'chunksImbalance'}";
  static final String[] INDEXES_THERE = {
    "{v: 2, key: {_id: 1}, name: '_id_'}",
    "{v: 2, key: {id: 1, filter1: 1}, name: 'data_table_id_filter1', unique: true}",
    "{v: 2, key: {filter1: 1}, name: 'data_table_filter1'}",
    "{v: 2, key: {filter4: 1.0}, name: 'data_table_filter4'}",
    "{v: 2, key: {filter5: NumberLong(1)}, name: 'data_table_filter5'}",
    "{v: 2, key: {id: 1, filter2: 1}, name: 'data_table_id_filter2'}",
    "{v: 2, key: {id: 1, filter3: 1}, name: 'data_table_id_filter3'}"
  };

  private SchemaScript() {}

  /** Asks the fake who it is and makes the schema; a sleep only moves the clock. */
  public static boolean create(
      List<Long> slept, FakeRouter router, String options, boolean recreate) {
    return create(slept, router, options, recreate, Progress.UNHEARD);
  }

  public static boolean create(
      List<Long> slept, FakeRouter router, String options, boolean recreate, Progress steps) {
    try (MongoClient client = router.client()) {
      ServerKind kind = ServerKind.ask(client);
      SchemaOptions fitted = options(options).on(kind);
      return new Schema(client, "app", kind, fitted, clock(slept)).create(recreate, steps);
    }
  }

  public static SchemaOptions options(String json) {
    return SchemaOptions.read(
        new Options("schema", JsonParser.parseString(json).getAsJsonObject()));
  }

  private static Clock clock(List<Long> slept) {
    return new Clock() {
      @Override
      public long nanoTime() {
        return slept.stream().mapToLong(Long::longValue).sum();
      }

      @Override
      public void sleepUntil(long nanoTime) {
        slept.add(nanoTime - nanoTime());
      }
    };
  }

  public static void expectNothingThere(FakeRouter router) {
    router
        .expect("app", LIST_COLLECTIONS, rows())
        .expectFailure("app", LIST_INDEXES, NO_SUCH_NAMESPACE)
        .expect("config", SHARDED, rows())
        .expect("config", ZONES, rows());
  }

  /** A look that finds chunks to be moved, twice. */
  public static FakeRouter expectBusyBalancer(FakeRouter router) {
    for (int i = 0; i < 2; i++) {
      router
          .expect("admin", BALANCED, IMBALANCE)
          .expect("admin", "{balancerStatus: 1}", "{ok: 1, mode: 'full', inBalancerRound: true}");
    }
    return router;
  }

  public static String place(String id) {
    return "{id: {$uuid: '" + id + "'}, filter1: {$minKey: 1}}";
  }

  public static String chunk(String min, String max, String shard) {
    return "{min: " + min + ", max: " + max + ", shard: '" + shard + "'}";
  }

  public static String split(String middle) {
    return "{split: 'app.data_table', middle: " + middle + "}";
  }

  public static String move(String min, String max, String to) {
    return "{moveChunk: 'app.data_table', bounds: [" + min + ", " + max + "], to: '" + to + "'}";
  }

  /** The chunks of a collection in four pieces after the first three splits and two moves. */
  public static String chunksAfter(int steps) {
    return switch (steps) {
      case 0 -> rows(chunk(FIRST, LAST, "s0"));
      case 1 -> rows(chunk(FIRST, Q1, "s0"), chunk(Q1, LAST, "s0"));
      case 2 -> rows(chunk(FIRST, Q1, "s0"), chunk(Q1, Q2, "s0"), chunk(Q2, LAST, "s0"));
      default ->
          rows(
              chunk(FIRST, Q1, "s0"),
              chunk(Q1, Q2, steps > 3 ? "s1" : "s0"),
              chunk(Q2, Q3, "s0"),
              chunk(Q3, LAST, steps > 4 ? "s1" : "s0"));
    };
  }
}
