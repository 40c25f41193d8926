package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresqlEvidenceTest {
  private static final List<String> ALL = new DocumentStoreWorkload().transactions();

  private final Database database = TestDatabases.fresh();
  private final DocumentStoreModel model =
      (DocumentStoreModel)
          new DocumentStoreWorkload()
              .model(
                  1,
                  new Options(
                      "workload.data",
                      JsonParser.parseString(
                              "{\"documents\": 4000, \"tenants\": 100,"
                                  + " \"document-size\": \"2KiB\"}")
                          .getAsJsonObject()));

  private void load(Target target) throws CallFailure {
    target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
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

  /** Without an index of its own, filter5 is picked out of all documents of the tenant. */
  @Test
  void aDroppedIndexShowsAsAScanOfTheTenant() throws CallFailure {
    try (Target target = database.open("{}")) {
      load(target);
      database.execute("DROP INDEX data_table_filter5");
      assertThat(model.plans(target, ALL).get("find-by-id-and-filter5"))
          .containsEntry("access", "tenant-scan")
          .containsEntry("documents_per_tenant", 40L);
    }
  }

  @Test
  void aDroppedIndexShowsAsAFullScan() throws CallFailure {
    try (Target target = database.open("{'statements': 'simple'}")) {
      load(target);
      for (String index :
          database.ask(
              "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'data_table'::regclass AND NOT indisprimary")) {
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
    }
  }
}
