package io.shardload.driver.postgresql.facts;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.Machine;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.driver.postgresql.FakeConnection;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.topology.Division;
import io.shardload.topology.ShardShare;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.Storage;
import io.shardload.workload.statements.port.Storage.Placement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every node of Citus is asked: its machine, and a CHECKPOINT after the load. */
class CitusNodesTest {
  private static final String VERSION =
      "SELECT extversion FROM pg_extension WHERE extname = 'citus'";
  private static final String PROMISE =
      "fsync=\\w+, synchronous_commit=\\w+, full_page_writes=\\w+,"
          + " synchronous_standby_names='.*', replicas=\\d+";

  private final FakeConnection fake = new FakeConnection();

  private static final String PLACEMENTS =
      "SELECT shardid, nodename || ':' || nodeport, result, success"
          + " FROM run_command_on_placements('data_table', $$"
          + " SELECT concat_ws(' ', reltuples::bigint, pg_table_size(c.oid), ("
          + " SELECT string_agg(i.relname || ' ' || pg_relation_size(i.oid), ' ')"
          + " FROM pg_index JOIN pg_class i ON i.oid = indexrelid WHERE indrelid = c.oid))"
          + " FROM pg_class c WHERE c.oid = '%s'::regclass $$)"
          + " ORDER BY shardid, nodename, nodeport";

  private static List<String> node(String host, String holds, String boot, String limit) {
    return List.of(
        host,
        holds,
        "t",
        "{\"boot\": \"%s\\n\", \"kernel\": \"6.1.0\\n\", \"ram\": \"1000\", \"limit\": %s,"
                .formatted(boot, limit)
            + " \"cpus\": 4, \"cpu\": \"Xeon\"}");
  }

  private List<Machine> machines(List<List<String>> nodes) throws SQLException {
    fake.expect(VERSION, List.of("12.1")).expectRows(Machines.NODES, nodes);
    try (Statement statement = fake.connection().createStatement()) {
      return Machines.read(statement);
    }
  }

  @Test
  void theWorkersRamIsAddedUpAndTheCoordinatorsIsNot() throws SQLException {
    List<Machine> told =
        machines(
            List.of(
                node("c:1", "f", "boot-c", "null"),
                node("w1:1", "t", "boot-1", "null"),
                node("w2:1", "t", "boot-2", "null")));
    assertThat(told)
        .containsExactly(
            new Machine("c:1", false, "Xeon", 4, 1_024_000, "6.1.0"),
            new Machine("w1:1", true, "Xeon", 4, 1_024_000, "6.1.0"),
            new Machine("w2:1", true, "Xeon", 4, 1_024_000, "6.1.0"));
    assertThat(Machine.ramBytes(told)).hasValue(2_048_000);
  }

  @Test
  void nodesOnOneMachineShareItsRam() throws SQLException {
    List<Machine> told =
        machines(
            List.of(
                node("h:1", "f", "boot", "null"),
                node("h:2", "t", "boot", "\"max\\n\""),
                node("h:3", "t", "boot", "\"9223372036854771712\\n\"")));
    assertThat(told)
        .containsExactly(new Machine("h:1, h:2, h:3", true, "Xeon", 4, 1_024_000, "6.1.0"));
  }

  @Test
  void containersOnOneMachineHaveEachTheirLimit() throws SQLException {
    List<Machine> told =
        machines(
            List.of(
                node("w1:1", "t", "boot", "\"300000\\n\""),
                node("w2:1", "t", "boot", "\"400000\\n\"")));
    assertThat(Machine.ramBytes(told)).hasValue(700_000);
  }

  @Test
  void aNodeThatDoesNotTellMakesTheSumUnknown() throws SQLException {
    List<Machine> told =
        machines(
            List.of(
                node("w1:1", "t", "boot-1", "null"),
                List.of("w2:1", "t", "f", "ERROR: permission denied")));
    assertThat(told).hasSize(2);
    assertThat(Machine.ramBytes(told)).isEmpty();
  }

  @Test
  void everyNodeIsAskedWhetherTheUserMayCheckpoint() throws SQLException {
    String asked =
        "SELECT count(*) = 0 FROM run_command_on_all_nodes($shardload$ SELECT usesuper OR EXISTS"
            + " (SELECT FROM pg_roles WHERE rolname = 'pg_checkpoint'"
            + " AND pg_has_role(usesysid, oid, 'USAGE'))"
            + " FROM pg_user WHERE usename = current_user $shardload$)"
            + " WHERE NOT success OR result <> 't'";
    Citus citus = new Citus("12.1-1");
    try (Statement statement = fake.connection().createStatement()) {
      fake.expect(asked, List.of("t"));
      citus.checkCheckpoint(statement);
      fake.expect(asked, List.of("f"));
      ConfigException e = refusalOf(() -> citus.checkCheckpoint(statement));
      assertThat(e.key()).isEqualTo("schema.checkpoint-after-load");
      assertThat(e).hasMessageStartingWith("the user may not CHECKPOINT on every node of Citus");
    }
  }

  private CitusNodes nodes(List<List<String>> answers) throws SQLException {
    fake.expect(VERSION, List.of("12.1"))
        .expect("SELECT count(*) FROM pg_dist_node", List.of("2"))
        .expectRows(
            "SELECT coalesce(nodename || ':' || nodeport, 'the coordinator'),"
                + " coalesce(shouldhaveshards, false), success, result"
                + " FROM run_command_on_all_nodes($shardload$"
                + " SELECT json_build_object('durability', (SELECT 1), 'settings', ( SELECT"
                + " json_object_agg(name, value) FROM (SELECT 2) AS all_settings (name, value)))"
                + " $shardload$, give_warning_for_connection_errors := true)"
                + " LEFT JOIN pg_dist_node USING (nodeid)",
            answers);
    try (Statement statement = fake.connection().createStatement()) {
      return CitusNodes.read(statement, "SELECT 1\n", "SELECT 2\n");
    }
  }

  private static List<String> told(String node, String holds, String durability, String memory) {
    String answer =
        "{\"durability\": \"%s\", \"settings\": {\"jit\": \"on\", \"work_mem\": \"%s\","
                .formatted(durability, memory)
            + " \"shared_buffers\": \"128MB\"}}";
    return List.of(node, holds, "t", answer);
  }

  private String durability(List<List<String>> answers) throws SQLException {
    return nodes(answers).durability();
  }

  /** Turned red by the coordinator's word, by the most, and by a node that is left out. */
  @Test
  void theLeastOfTheNodesWithDocumentsCounts() throws SQLException {
    List<String> on = acknowledged("w1:1", "t", "on");
    assertThat(nodes(List.of(acknowledged("c:1", "f", "off"), on)).acknowledgement())
        .hasToString("one disk: synchronous_commit=on, no synchronous standby");
    assertThat(nodes(List.of(on, acknowledged("w2:1", "t", "off"))).acknowledgement())
        .hasToString("memory: synchronous_commit=off");
    assertThat(nodes(List.of(on, List.of("w2:1", "t", "f", "refused"))).acknowledgement())
        .hasToString("unknown: a node did not report its settings");
  }

  private static List<String> acknowledged(String node, String holds, String commit) {
    String answer = AcknowledgementTest.answer("on", commit, "", 0, 0);
    return told(node, holds, answer.replace("\"", "\\\""), "4MB");
  }

  /** The documents lie on the workers: what the coordinator promises is no word for theirs. */
  @Test
  void theWorkersPromiseIsToldFromTheCoordinators() throws SQLException {
    List<String> coordinator = told("c:1", "f", "replicas=0", "4MB");
    List<String> worker = told("w1:1", "t", "replicas=0", "4MB");
    List<String> replicated = told("w1:1", "t", "replicas=1", "4MB");
    assertThat(durability(List.of(coordinator, worker))).isEqualTo("replicas=0");
    assertThat(durability(List.of(coordinator, replicated)))
        .isEqualTo("replicas=1; nodes without documents: replicas=0");
    assertThat(durability(List.of(told("c:1", "f", "replicas=1", "4MB"), worker)))
        .isEqualTo("replicas=0; nodes without documents: replicas=1");
  }

  /** Mutation: the answers without the nodes that gave them. */
  @Test
  void aNodeThatPromisesSomethingElseIsNamed() throws SQLException {
    List<String> w1 = told("w1:1", "t", "fsync=on", "4MB");
    assertThat(
            durability(
                List.of(
                    w1,
                    told("w3:1", "t", "fsync=on", "4MB"),
                    told("w2:1", "t", "fsync=off", "4MB"))))
        .isEqualTo("fsync=off (w2:1) | fsync=on (w1:1, w3:1)");
    assertThat(durability(List.of(w1, List.of("w2:1", "t", "f", "connection refused"))))
        .isEqualTo("fsync=on (w1:1) | not reported (w2:1)");
  }

  /** Mutation: settings of the coordinator alone. */
  @Test
  void aSettingThatIsNotTheSameEverywhereIsNamedWithItsNode() throws SQLException {
    List<List<String>> answers =
        List.of(told("c:1", "f", "fsync=on", "4MB"), told("w1:1", "t", "fsync=on", "64MB"));
    assertThat(nodes(answers).named())
        .isEqualTo(
            Map.of(
                "shared_buffers of c:1", "128MB",
                "shared_buffers of w1:1", "128MB",
                "work_mem of c:1", "4MB",
                "work_mem of w1:1", "64MB"));
  }

  /** Hand-written SQL asks each node of a real one before and after. */
  @Test
  @OnCitus
  void aRealCitusMakesItsCheckpointsAndTellsItsMachines() throws SQLException {
    String everyNode =
        "SELECT string_agg(result, ' ' ORDER BY nodeid) FROM run_command_on_all_nodes("
            + "'SELECT checkpoint_lsn FROM pg_control_checkpoint()')";
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:" + System.getenv("SHARDLOAD_TEST_CITUS_URL"),
                System.getenv().getOrDefault("SHARDLOAD_TEST_CITUS_USER", "shardload"),
                System.getenv("SHARDLOAD_TEST_CITUS_PASSWORD"));
        Statement statement = connection.createStatement()) {
      String[] before = Queries.text(statement, everyNode).split(" ", -1);
      Citus.of(statement).checkpoint(statement);
      String[] after = Queries.text(statement, everyNode).split(" ", -1);
      assertThat(after).hasSameSizeAs(before).hasSizeGreaterThan(1);
      for (int node = 0; node < before.length; node++) {
        assertThat(after[node]).as("node " + node).isNotEqualTo(before[node]);
      }
      List<Machine> told = Machines.read(statement);
      told.forEach(System.out::println);
      assertThat(told).isNotEmpty().allSatisfy(m -> assertThat(m.ramBytes()).isPositive());
      assertThat(Machine.ramBytes(told)).isPresent();
    }
  }

  @Test
  @OnCitus
  void aRealCitusTellsWhatItIsAndWhatItPromises() throws SQLException, CallFailure {
    try (Target target = CitusIntegrationTest.open("{'distribution': 'id'}")) {
      assertThat(target.server().name()).isEqualTo("PostgreSQL");
      assertThat(target.server().version()).matches("\\d+\\.\\d+, Citus \\d+\\.\\d+\\.\\d+");
      assertThat(target.server().durability()).matches(PROMISE + "(; nodes without .*)?");
    }
  }

  /** A database that has the extension, and no word of other nodes. */
  @Test
  @OnCitus
  void aRealCitusThatKnowsNoNodeTellsOfItself() throws SQLException, CallFailure {
    CitusIntegrationTest.ask("DROP DATABASE IF EXISTS shardload_alone WITH (FORCE)");
    CitusIntegrationTest.ask("CREATE DATABASE shardload_alone");
    String url = System.getenv("SHARDLOAD_TEST_CITUS_URL");
    String alone = url.substring(0, url.lastIndexOf('/')) + "/shardload_alone";
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:" + alone,
                System.getenv().getOrDefault("SHARDLOAD_TEST_CITUS_USER", "shardload"),
                System.getenv("SHARDLOAD_TEST_CITUS_PASSWORD"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE EXTENSION citus");
      try (Target target =
          new PostgresqlDriver()
              .open(
                  CitusIntegrationTest.config(alone, "{}", "{}"),
                  new Session("test", 1, Duration.ofSeconds(10)))) {
        assertThat(target.server().durability()).matches(PROMISE);
      }
    } finally {
      CitusIntegrationTest.ask("DROP DATABASE IF EXISTS shardload_alone WITH (FORCE)");
    }
  }

  // Where the nodes of a Citus say that the documents lie, without a Citus. Mutations that turned
  // it red: the shard's number left in the names of indexes; their bytes not counted.

  @Test
  void eachNodeTellsOfItsPlacements() throws Exception {
    fake.expectRows(
        PLACEMENTS,
        List.of(
            List.of("7", "w1:5432", "60 1000 data_table_pkey_7 10 data_table_filter4_7 5", "t"),
            List.of("8", "w2:5432", "-1 2000 data_table_pkey_8 20 data_table_filter4_8 6", "t")));

    assertThat(CitusStorage.read(fake.connection().createStatement(), "data_table"))
        .isEqualTo(
            new Storage(
                3000,
                Map.of("data_table_pkey", 30L, "data_table_filter4", 11L),
                List.of(
                    new Storage.Placement("7", "w1:5432", 60, 1015),
                    new Storage.Placement("8", "w2:5432", -1, 2026)),
                Map.of()));
  }

  /** A sum over the others would pass for that over all. */
  @Test
  void aNodeThatDoesNotAnswerIsNamedAndSumsAreNotKnown() throws Exception {
    String refused = "failed to connect to w2:5432";
    fake.expectRows(
        PLACEMENTS,
        List.of(
            List.of("7", "w1:5432", "60 1000 data_table_pkey_7 10", "t"),
            List.of("8", "w2:5432", refused, "f"),
            List.of("9", "w2:5432", refused, "f")));

    assertThat(CitusStorage.read(fake.connection().createStatement(), "data_table"))
        .isEqualTo(
            new Storage(
                -1,
                Map.of(),
                List.of(
                    new Storage.Placement("7", "w1:5432", 60, 1010),
                    new Storage.Placement("8", "w2:5432", -1, -1),
                    new Storage.Placement("9", "w2:5432", -1, -1)),
                Map.of("nodes_without_answer", "w2:5432")));
  }

  private static Storage storage(Placement... placements) {
    return new Storage(0, Map.of(), List.of(placements), Map.of());
  }

  // What falls to each node of Citus.

  @Test
  void documentsOfANodesShardsAddUp() {
    assertThat(
            CitusDivision.of(
                storage(
                    new Placement("1", "w1:1", 10, 0),
                    new Placement("2", "w2:1", 20, 0),
                    new Placement("3", "w1:1", 5, 0)),
                true))
        .contains(new Division(Map.of("w1:1", 15L, "w2:1", 20L), true));
  }

  @Test
  void aCopyOfAShardCountsInPart() {
    assertThat(
            CitusDivision.of(
                storage(new Placement("1", "w1:1", 10, 0), new Placement("1", "w2:1", 10, 0)),
                true))
        .contains(new Division(Map.of("w1:1", 5L, "w2:1", 5L), false));
  }

  @Test
  void aShardThatWasNeverAnalyzedMakesItUnknown() {
    assertThat(
            CitusDivision.of(
                storage(new Placement("1", "w1:1", 10, 0), new Placement("2", "w2:1", -1, 0)),
                true))
        .isEmpty();
  }

  @Test
  void documentsAreEstimatedOnceForAllCopiesOfAShard() {
    Placement first = new Placement("1", "w1:1", 10, 0);
    Placement copy = new Placement("1", "w2:1", 11, 0);
    assertThat(storage(first, copy, new Placement("2", "w2:1", 5, 0)).documents()).hasValue(16);
    assertThat(storage(first, new Placement("2", "w2:1", -1, 0)).documents()).isEmpty();
    assertThat(storage().documents()).isEmpty();
  }

  @Test
  @OnCitus
  void aRealCitusKnowsTheNodesOfTenantsWithoutReadingThem() throws Exception {
    try (Target target = CitusIntegrationTest.open("{'distribution': 'id'}")) {
      Map<String, Object> chosen = Map.of("distribution", "id", "tenants", 7, "document_size", 8);
      StatementsModel model = CitusIntegrationTest.make(target, chosen);
      model.load(target, 0, 700, done -> {});
      List<String> counted =
          CitusIntegrationTest.ask(
              "SELECT concat(nodename, ':', nodeport, ' ', sum(result::bigint)) FROM"
                  + " run_command_on_placements('data_table', 'SELECT count(*) FROM %s')"
                  + " GROUP BY nodename, nodeport ORDER BY 1");
      List<ShardShare> told = model.placement(target, 1);
      assertThat(told)
          .extracting(share -> share.shard() + " " + Math.round(700 * share.documentsShare()))
          .containsExactlyElementsOf(counted);
      assertThat(told).allMatch(s -> s.operationsShare().getAsDouble() == s.documentsShare());
    }
    try (Target target = CitusIntegrationTest.open("{'distribution': 'filter1'}")) {
      StatementsModel model =
          CitusIntegrationTest.make(target, Map.of("distribution", "filter1", "document_size", 8));
      model.load(target, 0, 700, done -> {});
      CitusIntegrationTest.ask("ANALYZE data_table");
      List<ShardShare> told = model.placement(target, 1);
      assertThat(told).hasSizeGreaterThan(1).allMatch(share -> share.operationsShare().isEmpty());
      assertThat(told.stream().mapToDouble(ShardShare::documentsShare).sum()).isEqualTo(1);
    }
  }
}
