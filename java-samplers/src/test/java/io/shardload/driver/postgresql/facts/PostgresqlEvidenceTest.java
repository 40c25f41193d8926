package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
                      JsonParser.parseString("{\"documents\": 4000, \"document-size\": \"2KiB\"}")
                          .getAsJsonObject()));

  private void load(Target target) throws CallFailure {
    target.port(DocumentStoreAdmin.class).createSchema(false);
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
      assertThat(plans.get("find-by-id-and-filter1").get("shards")).isEqualTo("not sharded");
      assertThat(plans.get("delete").get("text").toString()).contains("\"ModifyTable\"");
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
