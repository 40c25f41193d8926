package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.QueryPlan;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresqlEvidenceTest {
  private static final List<String> ALL = DocumentStoreData.TRANSACTIONS;

  private final Database database = TestDatabases.fresh();
  private final StatementsModel model =
      new DocumentStoreData(1, 4000, 100, 2048, 2.0, 10).folder("postgresql");

  private void load(Target target) throws CallFailure {
    model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    model.load(target, 0, model.documents(), done -> {});
    database.execute("VACUUM ANALYZE data_table");
  }

  @Test
  void everyTransactionGoesThroughAnIndexAndNothingIsExecuted() throws CallFailure {
    try (Target target = database.open("{}")) {
      load(target);
      Map<String, Map<String, Object>> plans = model.plans(target, ALL);
      assertThat(plans.keySet()).containsExactlyElementsOf(ALL);
      plans.forEach(
          (name, plan) ->
              assertThat(plan.get("access"))
                  .as(name)
                  .isEqualTo(name.equals("insert") ? "none" : "index"));
      assertThat(plans.get("find-by-id-and-filter1"))
          .containsEntry("shards", "not sharded")
          .containsEntry("estimated_rows", 1L);
      assertThat(plans.get("insert")).doesNotContainKeys("kind", "estimated_rows");
      assertThat(plans.get("delete").get("text").toString()).contains("\"ModifyTable\"");
      assertThat(database.ask("SELECT count(*), sum(edition) FROM data_table"))
          .containsExactly("4000 0");
    }
  }

  /** Statements that a connection keeps have the plan for any values, if the server prefers it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{} | auto | generic",
        "{} | force_custom_plan | custom",
        "{'statements': 'simple'} | force_generic_plan | custom",
        "{'connections': 'per-transaction'} | force_generic_plan | custom"
      })
  void thePlanIsTheOneThatRuns(String options, String cacheMode, String kind) throws CallFailure {
    database.execute(
        "ALTER DATABASE %s SET plan_cache_mode = %s".formatted(database.name(), cacheMode));
    try (Target target = database.open(options)) {
      load(target);
      Map<String, Map<String, Object>> plans = model.plans(target, ALL);
      assertThat(plans.get("find-by-id-and-filter1")).containsEntry("kind", kind);
      assertThat(plans.get("update")).containsEntry("kind", kind).containsEntry("access", "index");
      assertThat(database.ask("SELECT count(*), sum(edition) FROM data_table"))
          .containsExactly("4000 0");
    }
  }

  @Test
  void aDroppedIndexShowsAsAFullScan() throws CallFailure {
    try (Target target = database.open("{'statements': 'simple'}")) {
      load(target);
      for (String index :
          database.ask(
              "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'data_table'::regclass"
                  + " AND NOT indisprimary")) {
        database.execute("DROP INDEX " + index);
      }
      database.execute("ALTER TABLE data_table DROP CONSTRAINT data_table_pkey");
      assertThat(model.plans(target, ALL).get("find-by-id-and-filter5").get("access"))
          .isEqualTo("full-scan");
    }
  }

  @Test
  void whatCannotBeExplainedSaysWhy() throws CallFailure {
    try (Target target = database.open("{}")) {
      Map<String, Object> plan = model.plans(target, ALL).get("update");
      assertThat(plan.get("access")).isEqualTo("unknown");
      assertThat(plan.get("text").toString()).contains("data_table");
    }
  }

  @Test
  void sizesAreThoseOfTheCatalogue() throws CallFailure {
    try (Target target = database.open("{}")) {
      load(target);
      Map<String, Object> storage = model.storage(target);
      assertThat(List.of(storage.get("table_bytes").toString()))
          .isEqualTo(database.ask("SELECT pg_table_size('data_table')"));
      long indexes =
          ((Map<?, ?>) storage.get("index_bytes"))
              .values().stream().mapToLong(bytes -> (Long) bytes).sum();
      assertThat(List.of("" + indexes))
          .isEqualTo(database.ask("SELECT pg_indexes_size('data_table')"));
      assertThat(storage.get("placements").toString()).contains("documents=4000");
      assertThat(storage.get("facts"))
          .hasToString(
              database
                  .ask(
                      "SELECT format('{data_table.document_compression=pglz,"
                          + " data_table.document_storage=extended, data_table.heap_bytes=%s,"
                          + " data_table.toast_bytes=%s}', pg_relation_size(oid),"
                          + " pg_total_relation_size(reltoastrelid))"
                          + " FROM pg_class WHERE relname = 'data_table'")
                  .get(0));
    }
  }

  /** Grave accents stand for single quotes. */
  private static QueryPlan parse(String singleQuoted, long shards) {
    return Explanation.parse(
        singleQuoted.replace('\'', '"').replace('`', '\''),
        shards,
        Map.of("by_both", "filter1"),
        Optional.of(
            new Grouping("id", List.of("filter1", "filter2", "filter3", "filter4", "filter5"))));
  }

  // Plans as PostgreSQL and Citus print them, shortened by hand.

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

  /** As an index on two columns where statements ask for the second. Mutation: any condition. */
  @Test
  void anIndexWhoseFirstColumnIsNotAskedForIsReadFromEndToEnd() {
    String scan =
        "[{'Plan': {'Node Type': 'Index Scan', 'Relation Name': 'data_table',"
            + " 'Index Name': 'by_both', 'Index Cond': '(%s = 1)'}}]";
    assertThat(parse(scan.formatted("filter2"), 0).access()).isEqualTo(QueryPlan.Access.FULL_SCAN);
    assertThat(parse(scan.formatted("filter1"), 0).access()).isEqualTo(QueryPlan.Access.INDEX);
    assertThat(parse(scan.formatted("filter1$"), 0).access())
        .as("another column")
        .isEqualTo(QueryPlan.Access.FULL_SCAN);
    QueryPlan bitmap =
        parse(
            "[{'Plan': {'Node Type': 'Bitmap Heap Scan', 'Relation Name': 'data_table', 'Plans':"
                + " [{'Node Type': 'Bitmap Index Scan', 'Index Name': 'by_both',"
                + " 'Index Cond': '(filter2 = `filter1`)'}]}}]",
            0);
    assertThat(bitmap.scans()).containsExactly(new QueryPlan.Scan("data_table", 1, Long.MAX_VALUE));
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
