package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.documentstore.port.QueryPlan;
import org.junit.jupiter.api.Test;

/** Plans as PostgreSQL and Citus print them, shortened by hand. */
class ExplanationTest {
  /** Grave accents stand for single quotes. */
  private static QueryPlan parse(String singleQuoted, long shards) {
    return Explanation.parse(singleQuoted.replace('\'', '"').replace('`', '\''), shards);
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

  /** As where an index stands in for a sort. */
  @Test
  void anIndexWithoutAConditionIsReadFromEndToEnd() {
    String node =
        "[{'Plan': {'Node Type': 'Index Scan', 'Relation Name': 'data_table',"
            + " 'Index Name': 'a'%s}}]";
    assertThat(parse(node.formatted(", 'Filter': '(filter2 = 1)'"), 0).access())
        .isEqualTo(QueryPlan.Access.FULL_SCAN);
    assertThat(parse(node.formatted(", 'Index Cond': '(filter2 = 1)'"), 0).access())
        .isEqualTo(QueryPlan.Access.INDEX);
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
    assertThat(one.indexes()).containsExactly("pk");
    assertThat(one.access()).isEqualTo(QueryPlan.Access.INDEX);
    assertThat(parse(tree.formatted(32), 32).shards()).isEqualTo("32 of 32");
    String scan = "'Node Type': 'Seq Scan', 'Relation Name': 'data_102008'";
    String scans = tree.replace("'Node Type': 'Index Scan', 'Index Name': 'pk_102008'", scan);
    assertThat(parse(scans.formatted(8), 32).scans())
        .containsExactly(new QueryPlan.Scan("data", 0.25, Long.MAX_VALUE));
    assertThat(parse(scans.formatted(8), -1).scans().get(0).rows(10)).as("shards").isEqualTo(80);
  }

  @Test
  void aShardedTableWhosePlanNamesNoTaskIsNotGuessed() {
    assertThat(parse("[{'Plan': {'Node Type': 'Result'}}]", 32).shards()).isEqualTo("unknown");
  }

  private static QueryPlan scan(String fields) {
    return parse(
        "[{'Plan': {'Node Type': 'Limit', 'Plan Rows': 1, 'Plans': [{'Node Type': 'Index Scan',"
            + " 'Relation Name': 'data_table', 'Index Name': 'i', 'Plan Rows': 7, "
            + fields
            + "}]}}]",
        0);
  }

  /** As PostgreSQL 18 prints them. Mutation: look for columns in the values, too. */
  @Test
  void aTenantThatIsReadAsAWholeIsToldFromAnIndex() {
    QueryPlan both = scan("'Index Cond': '((id = $1) AND ((filter2)::text = ($2)::text))'");
    assertThat(both.access()).isEqualTo(QueryPlan.Access.INDEX);
    assertThat(both.kind()).isEqualTo(QueryPlan.Kind.GENERIC);
    assertThat(both.rows()).hasValue(7);
    QueryPlan prefix =
        scan(
            "'Index Cond': '(id = `filter2 $1`::uuid)',"
                + " 'Filter': '((filter5)::text = `$1`::text)'");
    assertThat(prefix.access()).isEqualTo(QueryPlan.Access.TENANT_SCAN);
    assertThat(prefix.kind()).isEqualTo(QueryPlan.Kind.CUSTOM);
    assertThat(scan("'Index Cond': '(id = $1)', 'Filter': '((filter5)::text = $2)'").kind())
        .isEqualTo(QueryPlan.Kind.GENERIC);
  }

  private static QueryPlan bitmap(String type) {
    return parse(
        "[{'Plan': {'Node Type': 'Bitmap Heap Scan', 'Relation Name': 'data_table', 'Plan Rows': 9,"
            + " 'Plans': [{'Node Type': '"
            + type
            + "', 'Plans': ["
            + "{'Node Type': 'Bitmap Index Scan', 'Index Name': 'a', 'Index Cond': '(id = $1)'},"
            + "{'Node Type': 'Bitmap Index Scan', 'Index Name': 'b',"
            + " 'Index Cond': '((filter4)::text = $2)'}]}]}}]",
        0);
  }

  @Test
  void bitmapsTogetherAreNarrowAndAlternativesAreWide() {
    assertThat(bitmap("BitmapAnd").access()).isEqualTo(QueryPlan.Access.INDEX);
    assertThat(bitmap("BitmapOr").access()).isEqualTo(QueryPlan.Access.TENANT_SCAN);
    assertThat(bitmap("BitmapOr").rows()).hasValue(9);
  }
}
