package io.shardload.driver.mongodb.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.QueryPlan;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Answers to explain, written by hand after the servers' manuals, shortened to what is read and
 * what could be mistaken for it.
 */
class MongodbPlansTest {
  private static final String IXSCAN =
      "{stage: 'FETCH', filter: {filter4: {$eq: 'a'}}, inputStage: {stage: 'IXSCAN',"
          + " keyPattern: {id: 1, filter2: 1}, indexName: 'data_table_id_filter2'}}";

  /** One shard that scans is a scan, whatever the others do. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a replica set of 5 | 0 | {queryPlanner: {plannerVersion: 1, namespace: 'app.data_table',"
            + " winningPlan: {stage: 'LIMIT', limitAmount: 100, inputStage: "
            + IXSCAN
            + "}, rejectedPlans: [{stage: 'COLLSCAN', direction: 'forward'}]}, ok: 1}"
            + " | INDEX | not sharded | data_table_id_filter2",
        "the slot based engine of 7 | 0 | {explainVersion: '2', queryPlanner: {winningPlan:"
            + " {queryPlan: {stage: 'FETCH', planNodeId: 2, inputStage: {stage: 'IXSCAN',"
            + " indexName: 'data_table_filter5'}}, slotBasedPlan: {slots: '', stages: '[1] scan"
            + " COLLSCAN'}}}, ok: 1} | INDEX | not sharded | data_table_filter5",
        "the express way of 8 | 0 | {explainVersion: '1', queryPlanner: {winningPlan: {isCached:"
            + " false, stage: 'EXPRESS_IXSCAN', keyPattern: '{ id: 1, filter1: 1 }', indexName:"
            + " 'data_table_id_filter1'}}, ok: 1} | INDEX | not sharded | data_table_id_filter1",
        "a lookup by id names no index | 0 | {queryPlanner: {winningPlan: {stage: 'IDHACK'}}, ok:"
            + " 1} | INDEX | not sharded | _id_",
        "alternatives use several indexes | 0 | {queryPlanner: {winningPlan: {stage: 'SUBPLAN',"
            + " inputStage: {stage: 'FETCH', inputStage: {stage: 'OR', inputStages: [{stage:"
            + " 'IXSCAN', indexName: 'b'}, {stage: 'IXSCAN', indexName: 'a'}, {stage: 'IXSCAN',"
            + " indexName: 'b'}]}}}}} | INDEX | not sharded | b, a",
        "one shard of cluster of 5 | 4 | {queryPlanner: {mongosPlannerVersion: 1, winningPlan:"
            + " {stage: 'SINGLE_SHARD', shards: [{shardName: 's2', namespace: 'app.data_table',"
            + " winningPlan: {stage: 'LIMIT', inputStage: {stage: 'SHARDING_FILTER', inputStage: "
            + IXSCAN
            + "}}, rejectedPlans: []}]}}, ok: 1}"
            + " | INDEX | one of 4 | data_table_id_filter2",
        "an update on one shard of cluster of 8 | 2 | {queryPlanner: {winningPlan: {stage:"
            + " 'SHARD_WRITE', shards: [{shardName: 's0', winningPlan: {stage: 'UPDATE',"
            + " inputStage: {stage: 'FETCH', inputStage: {stage: 'IXSCAN', indexName:"
            + " 'data_table_id_hashed'}}}}]}}, ok: 1} | INDEX | one of 2 | data_table_id_hashed",
        "scattered over cluster of 7 | 3 | {queryPlanner: {winningPlan: {stage: 'SHARD_MERGE',"
            + " shards: [{shardName: 's0', winningPlan: {queryPlan: {stage: 'IXSCAN', indexName:"
            + " 'a'}, slotBasedPlan: {}}}, {shardName: 's1', winningPlan: {queryPlan: {stage:"
            + " 'SHARDING_FILTER', inputStage: {stage: 'COLLSCAN'}}}}, {shardName: 's2',"
            + " winningPlan: {stage: 'EOF'}}]}}, ok: 1} | FULL_SCAN | 3 of 3 | a",
        "a scan | 0 | {queryPlanner: {winningPlan: {stage: 'COLLSCAN', filter: {stage: {$eq:"
            + " 'IXSCAN'}}, direction: 'forward'}}, ok: 1} | FULL_SCAN | not sharded | ",
        "nothing to be found | 0 | {queryPlanner: {winningPlan: {stage: 'EOF'}}} | NONE | not"
            + " sharded | ",
        "a stage that nobody knows | 2 | {queryPlanner: {winningPlan: {stage: 'LATER'}}} | UNKNOWN"
            + " | unknown | ",
      })
  void plans(
      String what,
      int of,
      String explained,
      QueryPlan.Access access,
      String shards,
      String indexes) {
    String[] names = indexes == null ? new String[0] : indexes.split(", ", -1);
    assertPlan(read(of, explained), access, shards, names);
  }

  private static String scan(String bounds) {
    return "{stage: 'IXSCAN', indexName: 'i', indexBounds: {id: ['[UUID(1), UUID(1)]']"
        + bounds
        + "}}";
  }

  private static QueryPlan fetched(String stage) {
    return read(
        0,
        "{queryPlanner: {winningPlan: {stage: 'FETCH', filter: {filter5: {$eq: 'a'}}, inputStage: "
            + stage
            + "}}, ok: 1}");
  }

  /** The bounds are written as on the page "Explain Results" of the manual. */
  @Test
  void aTenantThatIsReadAsAWhole() {
    String both = scan(", filter2: ['[\"a\", \"a\"]', '[\"b\", \"b\"]']");
    String prefix = scan(", filter2: ['[MinKey, MaxKey]']");
    assertPlan(fetched(both), QueryPlan.Access.INDEX, "not sharded", "i");
    assertPlan(fetched(prefix), QueryPlan.Access.TENANT_SCAN, "not sharded", "i");
    // The index of the shard key.
    assertPlan(fetched(scan("")), QueryPlan.Access.TENANT_SCAN, "not sharded", "i");
    String filter = "{stage: 'IXSCAN', indexName: 'f', indexBounds: {filter5: ['[1, 1]']}}";
    String together = "{stage: 'AND_HASH', inputStages: [" + prefix + ", " + filter + "]}";
    assertPlan(fetched(together), QueryPlan.Access.INDEX, "not sharded", "i", "f");
    String either = "{stage: 'OR', inputStages: [" + prefix + ", " + filter + "]}";
    assertPlan(fetched(either), QueryPlan.Access.TENANT_SCAN, "not sharded", "i", "f");
  }

  @Test
  void noPlan() {
    QueryPlan none = read(0, "{ok: 1}");
    assertPlan(none, QueryPlan.Access.UNKNOWN, "not sharded");
    assertThat(none.text()).isEqualTo("the server returned no plan");
  }

  @Test
  void ferretdbTellsThePlanOfPostgresql() {
    QueryPlan plan =
        read(
            0,
            "{queryPlanner: {Plan: {'Node Type': 'Bitmap Heap Scan', Plans: [{'Node Type': 'Bitmap"
                + " Index Scan', 'Index Name': 'data_table_fb8a5862__id__idx'}]}}, explainVersion:"
                + " '1', filterPushdown: true, ok: 1}");
    assertPlan(plan, QueryPlan.Access.INDEX, "not sharded", "data_table_fb8a5862__id__idx");
    assertThat(plan.text()).endsWith(", filterPushdown: true");
  }

  private static String limit(String below) {
    return "{queryPlanner: {winningPlan: {queryPlan: {stage: 'LIMIT', limitAmount: 10, inputStage: "
        + below
        + "}}}}";
  }

  @Test
  void aLimitEndsAScanUnlessAFilterOrASortNeedsTheRest() {
    String scan = "{stage: 'COLLSCAN', direction: 'forward'}";
    String filtered = "{stage: 'COLLSCAN', filter: {a: {$eq: 1}}}";
    assertThat(rows(0, limit(scan))).isEqualTo(10);
    assertThat(rows(0, limit("{stage: 'PROJECTION_SIMPLE', inputStage: " + scan + "}")))
        .isEqualTo(10);
    assertThat(rows(0, limit(filtered))).isEqualTo(5_000);
    assertThat(rows(0, limit("{stage: 'SORT', inputStage: " + scan + "}"))).isEqualTo(5_000);
    String two = "{queryPlanner: {winningPlan: {stage: 'SHARD_MERGE', shards: [{winningPlan: ";
    assertThat(rows(2, two + scan + "}, {winningPlan: " + filtered + "}]}}}")).isEqualTo(5_000);
    String ferretdb =
        "{queryPlanner: {Plan: {'Node Type': 'Limit', 'Plan Rows': 3, Plans: [{'Node Type': 'Seq"
            + " Scan', 'Plan Rows': 5000%s}]}}}";
    assertThat(rows(0, ferretdb.formatted(""))).isEqualTo(3);
    assertThat(rows(0, ferretdb.formatted(", Filter: 'a = 1'"))).isEqualTo(5_000);
  }

  private static long rows(int shards, String explained) {
    return QueryPlan.scans(List.of(read(shards, explained)), collection -> 5_000).get("shop");
  }

  private static QueryPlan read(int shards, String explained) {
    return MongodbPlans.read(BsonDocument.parse(explained), "shop", shards, "id");
  }

  private static void assertPlan(
      QueryPlan plan, QueryPlan.Access access, String shards, String... indexes) {
    assertThat(plan.access()).isEqualTo(access);
    assertThat(plan.shards()).isEqualTo(shards);
    assertThat(plan.indexes()).containsExactly(indexes);
  }
}
