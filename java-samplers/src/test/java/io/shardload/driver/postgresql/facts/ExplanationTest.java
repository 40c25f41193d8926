package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.documentstore.port.QueryPlan;
import org.junit.jupiter.api.Test;

/** Plans as PostgreSQL and Citus print them, shortened by hand. */
class ExplanationTest {
  private static QueryPlan parse(String singleQuoted, long shards) {
    return Explanation.parse(singleQuoted.replace('\'', '"'), shards);
  }

  @Test
  void anIndexIsFoundBelowALimitAndABitmap() {
    QueryPlan plan =
        parse(
            "[{'Plan': {'Node Type': 'Limit', 'Plans': [{'Node Type': 'Bitmap Heap Scan',"
                + " 'Plans': [{'Node Type': 'BitmapAnd', 'Plans': ["
                + "{'Node Type': 'Bitmap Index Scan', 'Index Name': 'b'},"
                + "{'Node Type': 'Bitmap Index Scan', 'Index Name': 'a'},"
                + "{'Node Type': 'Bitmap Index Scan', 'Index Name': 'a'}]}]}]}}]",
            0);
    assertThat(plan.access()).isEqualTo(QueryPlan.Access.INDEX);
    assertThat(plan.indexes()).containsExactly("a", "b");
    assertThat(plan.shards()).isEqualTo("not sharded");
  }

  @Test
  void aScanOfEverythingIsAFullScan() {
    QueryPlan plan =
        parse("[{'Plan': {'Node Type': 'Limit', 'Plans': [{'Node Type': 'Seq Scan'}]}}]", 0);
    assertThat(plan.access()).isEqualTo(QueryPlan.Access.FULL_SCAN);
  }

  @Test
  void anInsertFindsNothing() {
    QueryPlan plan =
        parse("[{'Plan': {'Node Type': 'ModifyTable', 'Plans': [{'Node Type': 'Result'}]}}]", 0);
    assertThat(plan.access()).isEqualTo(QueryPlan.Access.NONE);
  }

  @Test
  void citusTellsTasksAndTheWorkersPlans() {
    String tree =
        "[{'Plan': {'Node Type': 'Custom Scan', 'Custom Plan Provider': 'Citus Adaptive',"
            + " 'Distributed Query': {'Job': {'Task Count': %d, 'Tasks Shown': 'One of', 'Tasks':"
            + " [{'Node': 'host=localhost', 'Remote Plan': [[{'Plan': {'Node Type': 'Limit',"
            + " 'Plans': [{'Node Type': 'Index Scan', 'Index Name': 'pk_102008'}]}}]]}]}}}}]";
    QueryPlan one = parse(tree.formatted(1), 32);
    assertThat(one.shards()).isEqualTo("one of 32");
    assertThat(one.indexes()).containsExactly("pk_102008");
    assertThat(one.access()).isEqualTo(QueryPlan.Access.INDEX);
    assertThat(parse(tree.formatted(32), 32).shards()).isEqualTo("32 of 32");
  }

  @Test
  void aShardedTableWhosePlanNamesNoTaskIsNotGuessed() {
    assertThat(parse("[{'Plan': {'Node Type': 'Result'}}]", 32).shards()).isEqualTo("unknown");
  }
}
