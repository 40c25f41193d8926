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
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.StatementsModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A folder that is edited after its data were loaded. Its check looks at the files, not at the
 * tables of an earlier schema; a run names what differs.
 */
class ChangedFolderTest {
  private static final String CONFIG =
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

  @TempDir private Path folder;
  private String config;

  private void target(String driver, String url) {
    config =
        CONFIG.replace("DRIVER", driver).replace("URL", url).replace("FOLDER", folder.toString());
  }

  private void file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
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
    return catchThrowableOfType(
        ConfigException.class, () -> DataSet.open(target, "shop", model, false));
  }

  private static void load(Target target, StatementsModel model) throws CallFailure {
    DataSet.open(target, "shop", model, false).load(done -> {});
  }

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
  void collectionsToo(TestMongo.Kind kind) throws Exception {
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
