package io.shardload.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import io.shardload.generator.RunConfig;
import io.shardload.verify.GoldenData;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * From the built-in workload to a folder and back: the tables that the header records are dropped,
 * those of anybody else stay.
 *
 * <p>Mutation that turned it red: a header that records no tables.
 */
class ReplacedWorkloadTest {
  private static final String CONFIG =
      """
      {"run": {"id": "r"},
       "target": {"driver": "%s", "url": "%s", "user": "u"},
       "workload": {"name": "shop", "seed": 1, "folder": "%s",
         "data": {"tables": {"orders": {"rows": 3, "columns": {"id": {"type": "sequential"}}}}},
         "transactions": {"find-order": {"rows": "any"}}},
       "mix": {"find-order": 100},
       "load": {"model": "closed", "workers": 1, "generators": 1, "generator": 0, "segments": [
         {"name": "hold", "kind": "hold", "seconds": 1, "from_workers": 1, "to_workers": 1}]}}
      """;

  @TempDir private Path folder;

  private void file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Model<?> shop(String driver, String url) throws IOException {
    file("workload.yml", "# stresses nothing\n");
    if (driver.equals("postgresql")) {
      file("schema/postgresql.sql", "CREATE TABLE orders (id bigint PRIMARY KEY);\n");
      file("transactions/find-order/postgresql.sql", "SELECT id FROM orders LIMIT 1;\n");
    } else {
      file("schema/mongodb.json", "{\"collections\": [{\"name\": \"orders\"}]}\n");
      file("transactions/find-order/mongodb.json", "{\"find\": \"orders\", \"limit\": 1}\n");
    }
    String config = CONFIG.formatted(driver, url, folder);
    return RunConfig.read(JsonParser.parseString(config).getAsJsonObject()).model();
  }

  private static void replace(Target target, String workload, Model<?> model) throws CallFailure {
    DataSet.open(target, workload, model, Replacement.SETTLED, Progress.UNHEARD).load(done -> {});
  }

  @Test
  void eachWorkloadTakesThePlaceOfTheOther() throws Exception {
    TestDatabases.Database database = TestDatabases.fresh();
    Model<?> shop = shop("postgresql", database.url());
    try (Target target = database.open("{}")) {
      for (int round = 0; round < 2; round++) {
        replace(target, "document-store", GoldenData.model());
        assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("4");
        assertThat(database.ask("SELECT to_regclass('orders') IS NULL")).containsExactly("t");
        replace(target, "shop", shop);
        assertThat(database.ask("SELECT count(*) FROM orders")).containsExactly("3");
        assertThat(database.ask("SELECT to_regclass('data_table') IS NULL")).containsExactly("t");
      }
    }
  }

  @Test
  void aTableThatTheHeaderDoesNotRecordStays() throws Exception {
    TestDatabases.Database database = TestDatabases.fresh();
    Model<?> shop = shop("postgresql", database.url());
    database.execute("CREATE TABLE orders (id bigint)");
    try (Target target = database.open("{}")) {
      replace(target, "document-store", GoldenData.model());
      ConfigException refusal =
          catchThrowableOfType(ConfigException.class, () -> replace(target, "shop", shop));
      assertThat(refusal)
          .hasMessageContaining("table public.orders is not recorded as shardload's");
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("4");
    }
  }

  /** The user made the table, so another workload makes no room by dropping it. */
  @Test
  void aTableThatShardloadOnlyFilledStays() throws Exception {
    TestDatabases.Database database = TestDatabases.fresh();
    Model<?> shop = shop("postgresql", database.url());
    database.execute("CREATE TABLE orders (id bigint PRIMARY KEY)");
    try (Target target = database.open("{}")) {
      DataSet.open(target, "shop", shop, Replacement.NONE, Progress.UNHEARD).load(done -> {});
      replace(target, "document-store", GoldenData.model());
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("4");
      assertThat(database.ask("SELECT count(*) FROM orders")).containsExactly("3");
    }
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void collectionsToo(TestMongo.Kind kind) throws Exception {
    TestMongo.Database database = kind.fresh();
    Model<?> shop = shop("mongodb", database.url());
    Session session = Session.controller("me", 1, Duration.ofSeconds(5));
    try (Target target = database.open(database.config("{}", "{'index': 'ascending'}"), session)) {
      for (int round = 0; round < 2; round++) {
        replace(target, "document-store", GoldenData.model());
        replace(target, "shop", shop);
        List<String> names = database.bson().listCollectionNames().into(new ArrayList<>());
        assertThat(names).contains("orders").doesNotContain("data_table");
      }
      assertThat(database.bson().getCollection("orders", Document.class).countDocuments())
          .isEqualTo(3);
    }
  }
}
