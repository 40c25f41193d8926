package io.shardload.driver.postgresql;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.driver.Makings;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.StatementAdmin;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real Citus, whose coordinator {@code SHARDLOAD_TEST_CITUS_URL} names (with
 * SHARDLOAD_TEST_CITUS_USER and, if it asks for one, SHARDLOAD_TEST_CITUS_PASSWORD): at least two
 * nodes, and a database whose table data_table may be dropped.
 */
@OnCitus
public class CitusIntegrationTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_CITUS_PASSWORD";
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(10));
  private static final String URL = System.getenv("SHARDLOAD_TEST_CITUS_URL");
  private static final String USER =
      System.getenv().getOrDefault("SHARDLOAD_TEST_CITUS_USER", "shardload");
  private static final String ID = "'00000000-0000-4000-8000-00000000000a'";

  /** Each transaction that can scatter, in hand-written SQL. */
  private static final Map<String, String> STATEMENTS =
      new TreeMap<>(
          Map.of(
              "delete", "DELETE FROM data_table WHERE id = %s AND filter1 = 'a'",
              "update", "UPDATE data_table SET filter2 = 'b' WHERE id = %s AND filter1 = 'a'",
              "filter1", "SELECT * FROM data_table WHERE id = %s AND filter1 = 'a' LIMIT 1",
              "filter2", "SELECT * FROM data_table WHERE id = %s AND filter2 = 'a' LIMIT 1",
              "filter2-list",
                  "SELECT * FROM data_table WHERE id = %s AND filter2 IN ('a', 'b') LIMIT 100",
              "filter3-lte", "SELECT * FROM data_table WHERE id = %s AND filter3 <= 5 LIMIT 100",
              "filter4-list",
                  "SELECT * FROM data_table WHERE id = %s AND filter4 IN ('a', 'b') LIMIT 100",
              "filter4-and-filter5-list",
                  "SELECT * FROM data_table WHERE id = %s AND filter4 = 'a'"
                      + " AND filter5 IN ('a', 'b') LIMIT 100",
              "filter5", "SELECT * FROM data_table WHERE id = %s AND filter5 = 'a' LIMIT 100"));

  public static TargetConfig config(String options, String schema) {
    return config(URL, options, schema);
  }

  public static TargetConfig config(String url, String options, String schema) {
    return new TargetConfig(
        "citus",
        "postgresql",
        "",
        url,
        USER,
        System.getenv(PASSWORD_ENV) == null ? "" : PASSWORD_ENV,
        BundleFixture.parse(options),
        BundleFixture.parse(schema),
        "");
  }

  public static List<String> ask(String sql) throws SQLException {
    List<String> all = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection("jdbc:" + URL, USER, System.getenv(PASSWORD_ENV));
        Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        try (ResultSet rows = statement.getResultSet()) {
          while (rows.next()) {
            all.add(rows.getString(1));
          }
        }
      }
    }
    return all;
  }

  /** How many shards each statement goes to, by the plan's own word. */
  private static Map<String, Integer> tasks() throws SQLException {
    Map<String, Integer> tasks = new TreeMap<>();
    for (Map.Entry<String, String> entry : STATEMENTS.entrySet()) {
      for (String line : ask("EXPLAIN " + entry.getValue().formatted(ID))) {
        if (line.contains("Task Count: ")) {
          tasks.put(entry.getKey(), Integer.parseInt(line.replaceAll("\\D", "")));
        }
      }
    }
    return tasks;
  }

  private static Map<String, Object> storage() throws CallFailure {
    try (Target target = open("{}")) {
      return target.port(StatementAdmin.class).storage(List.of("data_table"));
    }
  }

  /** document-store on Citus, with values of its options. */
  private static StatementsModel model(Map<String, ?> chosen) {
    return DocumentStoreFolder.model("citus", 1, 700, chosen);
  }

  /** Makes its table again; returns its model. */
  public static StatementsModel make(Target target, Map<String, ?> chosen) throws CallFailure {
    StatementsModel model = model(chosen);
    assertThat(model.createSchema(target, Makings.again(target, "data_table"), Progress.UNHEARD))
        .isTrue();
    return model;
  }

  @ParameterizedTest
  @CsvSource({
    "id, 1, prepared, toast-compressed",
    "id, 2, simple, toast-uncompressed",
    "filter1, 1, prepared, no-toast",
    "filter1, 2, simple, toast-compressed"
  })
  void everyDistributionLoadsRunsAndVerifies(
      String column, int copies, String statements, String storage, @TempDir Path directory)
      throws Exception {
    String compression = storage.equals("toast-compressed") ? bestCompression() : "default";
    String schema =
        "{'distribution': '%s', 'shard-count': 8, 'replication-factor': %d, 'index': 'btree',"
                .formatted(column, copies)
            + " 'document-storage': '%s', 'compression': '%s', 'checkpoint-after-load': true}"
                .formatted(storage, compression);
    ShortRun run =
        new ShortRun(config("{'statements': '" + statements + "'}", schema), "4KiB", directory);

    Verification result = run.run(true, target -> {});

    assertThat(result.verdict()).as(result.reason()).isEqualTo("clean");
    run.assertEveryCallWasAnswered();
    Map<String, Integer> tasks = tasks();
    System.out.println(column + ": shards asked by each statement: " + tasks);
    assertThat(tasks).hasSameSizeAs(STATEMENTS);
    if (column.equals("id")) {
      assertThat(tasks.values()).containsOnly(1);
    } else {
      assertThat(tasks)
          .allSatisfy(
              (name, count) ->
                  assertThat(count)
                      .as(name)
                      .isEqualTo(List.of("delete", "update", "filter1").contains(name) ? 1 : 8));
    }
    Map<String, Object> kept = storage();
    List<?> placements = (List<?>) kept.get("placements");
    placements.forEach(System.out::println);
    assertThat(placements).hasSize(8 * copies);
    assertThat((Map<?, ?>) kept.get("index_bytes")).hasSize(6);
    assertThat(kept.get("index_bytes").toString()).contains("data_table_filter4");
    assertThat(placements.stream().mapToLong(at -> (Long) ((Map<?, ?>) at).get("documents")).sum())
        .isEqualTo((long) ShortRun.DOCUMENTS * copies);
    // What was set before the distribution holds in the shards.
    String shards =
        "SELECT DISTINCT result FROM run_command_on_placements('data_table', $$SELECT"
            + " concat(attstorage, attcompression) FROM pg_attribute WHERE attrelid ="
            + " '%s'::regclass AND attname = 'document'$$)";
    String letters =
        switch (storage) {
          case "toast-compressed" -> "x" + compression.charAt(0);
          case "toast-uncompressed" -> "e";
          default -> "p";
        };
    assertThat(ask(shards)).containsExactly(letters);
  }

  private static String bestCompression() throws SQLException {
    return ask("SELECT CASE WHEN 'lz4' = ANY (enumvals) THEN 'lz4' ELSE 'pglz' END FROM pg_settings"
            + " WHERE name = 'default_toast_compression'")
        .get(0);
  }

  @BeforeEach
  void nothingIsThere() throws SQLException {
    ask("DROP TABLE IF EXISTS data_table, shardload_header, shardload_state");
  }

  private static List<String> nodes(String condition) throws SQLException {
    return ask(
        "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE %s ORDER BY groupid"
            .formatted(condition));
  }

  @ParameterizedTest
  @CsvSource({"any, true", "others, groupid <> 0"})
  void transactionsGoThroughTheWorkers(String balance, String asked, @TempDir Path directory)
      throws Exception {
    // The workers know the tables as well.
    int slash = URL.lastIndexOf('/');
    String url =
        URL.substring(0, slash)
            + ","
            + String.join(",", nodes("groupid <> 0"))
            + URL.substring(slash);
    TargetConfig target =
        config(url, "{'balance': '" + balance + "'}", "{'distribution': 'id', 'shard-count': 4}");
    ShortRun run = new ShortRun(target, "2KiB", directory);
    List<String> connected = new ArrayList<>();
    // Each node tells how many connections end at it whose last statement is one of the load's.
    String clients =
        "SELECT nodename || ':' || nodeport FROM run_command_on_all_nodes($$SELECT count(*) FROM"
            + " pg_stat_activity WHERE application_name = '%s' AND query LIKE '%%data_table%%'$$)"
            + " JOIN pg_dist_node USING (nodeid) WHERE result <> '0' ORDER BY groupid";

    Verification result =
        run.run(
            true, open -> connected.addAll(unchecked(clients.formatted(run.applicationName()))));

    assertThat(result.verdict()).as(result.reason()).isEqualTo("clean");
    run.assertEveryCallWasAnswered();
    assertThat(connected).isEqualTo(nodes(asked));
  }

  private static List<String> unchecked(String sql) {
    try {
      return ask(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theTableLiesBesideTheOneThatIsNamed() throws Exception {
    ask("DROP TABLE IF EXISTS beside, elsewhere");
    for (String table : List.of("beside", "elsewhere")) {
      ask("CREATE TABLE " + table + " (id uuid PRIMARY KEY)");
      ask(
          "SELECT create_distributed_table('%s', 'id', colocate_with := 'none', shard_count := 6)"
              .formatted(table));
    }
    try (Target target = open("{'distribution': 'id', 'colocate-with': 'beside'}")) {
      make(target, Map.of("distribution", "id", "colocate_with", "beside"));
    }
    assertThat(
            ask(
                "SELECT p.logicalrelid FROM pg_dist_partition p JOIN pg_dist_partition same"
                    + " USING (colocationid) WHERE same.logicalrelid = 'beside'::regclass"))
        .containsExactlyInAnyOrder("beside", "data_table");
    ask("DROP TABLE data_table");
    assertRefused("filter1", "beside", "types don't match");
    assertRefused("id", "besides", "besides is not a distributed");
    ask("DROP TABLE beside, elsewhere");
  }

  public static Target open(String schema) {
    return new PostgresqlDriver().open(config("{}", schema), SESSION);
  }

  private static void assertRefused(String distribution, String beside, String message) {
    String schema = "{'distribution': '%s', 'colocate-with': '%s'}";
    StatementsModel model = model(Map.of("distribution", distribution, "colocate_with", beside));
    try (Target target = open(schema.formatted(distribution, beside))) {
      assertThat(refusalOf(() -> model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD)))
          .hasMessageContaining(message);
    }
  }

  @Test
  void theTableTellsItsShardsAndTheServerThatItIsCitus() throws Exception {
    try (Target target = open("{'distribution': 'id'}")) {
      make(target, Map.of("distribution", "id"));
      assertThat(target.schema())
          .containsEntry("shard-count", ask("SHOW citus.shard_count").get(0))
          .doesNotContainKey("measured-compression-ratio");
      assertThat(target.server().settings()).containsKey("extension citus");
      assertThat(target.server().durability()).startsWith("fsync=");
    }
  }

  @Test
  void aDistributedTableThatIsNotOursIsLookedInto() throws Exception {
    try (Target target = open("{'distribution': 'id', 'checkpoint-after-load': true}")) {
      StatementsModel model = make(target, Map.of("distribution", "id"));
      DataObject table = target.dataSets().look(List.of("data_table")).get("data_table");
      assertThat(target.dataSets().empty(table)).isTrue();
      ask("INSERT INTO data_table (id, filter1) VALUES (" + ID + ", 'a')");
      assertThat(target.dataSets().empty(table)).isFalse();
      model.checkSchema(target, false);
    } finally {
      ask("DROP TABLE IF EXISTS data_table, shardload_header, shardload_state");
    }
  }
}
