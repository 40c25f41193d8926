package io.shardload.dataset;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.shardload.workload.statements.StatementsModel;
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

  private static final String TWO_TABLES =
      """
      {"run": {"id": "r"},
       "target": {"driver": "DRIVER", "url": "URL", "user": "u"},
       "workload": {"name": "shop", "seed": 1, "folder": "FOLDER",
         "data": {"tables": {
           "orders": {"rows": 3, "columns": {
             "_id": {"type": "sequential"}, "PLACE": {"type": "word", "words": ["Oslo"]}}},
           "items": {"rows": ROWS, "columns": {"_id": {"type": "sequential"}}}}},
         "parameters": {"city": {"type": "word", "words": ["Oslo"]}},
         "transactions": {"find-order": {"rows": "any"}}},
       "mix": {"find-order": 100},
       "load": {"model": "closed", "workers": 1, "generators": 1, "generator": 0, "segments": [
         {"name": "hold", "kind": "hold", "seconds": 1, "from_workers": 1, "to_workers": 1}]}}
      """;

  private String config;

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
      ConfigException refusal = refusalOf(() -> replace(target, "shop", shop));
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
        replace(target, "document-store", GoldenData.model(target));
        replace(target, "shop", shop);
        List<String> names = database.bson().listCollectionNames().into(new ArrayList<>());
        assertThat(names).contains("orders").doesNotContain("data_table");
      }
      assertThat(database.bson().getCollection("orders", Document.class).countDocuments())
          .isEqualTo(3);
    }
  }

  private void target(String driver, String url) {
    config =
        TWO_TABLES
            .replace("DRIVER", driver)
            .replace("URL", url)
            .replace("FOLDER", folder.toString());
  }

  private void sql(String schema, String statement) throws IOException {
    file("workload.yml", "# stresses nothing\n");
    file("schema/postgresql.sql", schema + "; CREATE TABLE items (_id bigint);\n");
    file("transactions/find-order/postgresql.sql", statement + "\n");
  }

  private StatementsModel model(String place, int rows) {
    String text = config.replace("PLACE", place).replace("ROWS", Integer.toString(rows));
    return (StatementsModel) RunConfig.read(JsonParser.parseString(text).getAsJsonObject()).model();
  }

  private static ConfigException refusal(Target target, StatementsModel model) {
    return refusalOf(() -> DataSet.open(target, "shop", model, false));
  }

  private static void load(Target target, StatementsModel model) throws CallFailure {
    DataSet.open(target, "shop", model, false).load(done -> {});
  }

  // A folder that is edited after its data were loaded. Its check looks at the files, not at the
  // tables of an earlier schema; a run names what differs.

  @Test
  void theCheckTakesTheSchemaFileAndARunAsksForALoad() throws Exception {
    TestDatabases.Database database = TestDatabases.fresh();
    target("postgresql", database.url());
    sql("CREATE TABLE orders (_id bigint, city text)", "SELECT _id FROM orders WHERE city = :city");
    try (Target target = database.open("{}")) {
      load(target, model("city", 2));
      assertThat(model("city", 2).problems(target)).isEmpty();

      // A renamed column: right in all files.
      sql(
          "CREATE TABLE orders (_id bigint, town text)",
          "SELECT _id FROM orders WHERE town = :city");
      assertThat(model("town", 2).problems(target)).isEmpty();
      assertThat(refusal(target, model("town", 5)))
          .hasMessageStartingWith(
              "the data set on the target was created with documents 5, not 8, with another version"
                  + " of schema/postgresql.sql, with another version of table items, with another"
                  + " version of table orders;");
      assertThat(refusal(target, model("town", 2)))
          .hasMessageStartingWith(
              "the data set on the target was created with another version of"
                  + " schema/postgresql.sql, with another version of table orders;");

      // Renamed in the schema alone: the statement is wrong, though the loaded table has the
      // column.
      sql(
          "CREATE TABLE orders (_id bigint, town text)",
          "SELECT _id FROM orders WHERE city = :city");
      assertThat(model("town", 2).problems(target))
          .singleElement()
          .asString()
          .contains("transactions/find-order/postgresql.sql:1: column \"city\" does not exist");
    }
    assertThat(database.ask("SELECT count(city) FROM orders")).containsExactly("3");
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void ofCollectionsToo(TestMongo.Kind kind) throws Exception {
    TestMongo.Database database = kind.fresh();
    target("mongodb", database.url());
    file("workload.yml", "# stresses nothing\n");
    file(
        "schema/mongodb.json",
        "{\"collections\": [{\"name\": \"orders\"}, {\"name\": \"items\"}]}");
    file(
        "transactions/find-order/mongodb.json",
        "{\"find\": \"orders\", \"filter\": {\"city\": {\"$param\": \"city\"}}}");
    Session session = Session.controller("me", 1, Duration.ofSeconds(5));
    try (Target target = database.open(database.config("{}", "{}"), session)) {
      load(target, model("city", 2));
      assertThat(model("city", 2).problems(target)).isEmpty();
      file(
          "schema/mongodb.json",
          "{\"collections\": [{\"name\": \"order\"}, {\"name\": \"items\"}]}");
      assertThat(model("city", 2).problems(target))
          .anySatisfy(one -> assertThat(one).contains("unknown collection \"orders\""));
      assertThat(refusal(target, model("city", 2)))
          .hasMessageStartingWith(
              "the data set on the target was created with another version of schema/mongodb.json;");
    }
  }
}
