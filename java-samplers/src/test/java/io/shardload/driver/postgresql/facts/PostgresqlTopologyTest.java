package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.DataHost;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.driver.postgresql.FakeConnection;
import io.shardload.topology.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLState;

/** How many servers hold the table; replicas of a real server are in PostgresqlReplicaTest. */
class PostgresqlTopologyTest {
  private static final String VERSION =
      "SELECT extversion FROM pg_extension WHERE extname = 'citus'";
  private static final String THERE = "SELECT to_regclass('data_table') IS NOT NULL";

  private final FakeConnection fake = new FakeConnection();

  private static final String WORKERS =
      "SELECT nodename || ':' || nodeport, result FROM set_config('citus.node_connection_timeout',"
          + " '1000', true) AS longest(wait), run_command_on_workers('SELECT ' ||"
          + " quote_literal(longest.wait)) WHERE NOT success ORDER BY 1";

  private Optional<Topology> read() throws SQLException {
    try (Statement statement = fake.connection().createStatement()) {
      Optional<Topology> told = PostgresqlTopology.read(statement, 2);
      assertThat(fake.nothingLeft()).isTrue();
      return told;
    }
  }

  private FakeConnection distributed() {
    return fake.expect(VERSION, List.of("12.1"))
        .expect(THERE, List.of("t"))
        .expect(
            """
            SELECT column_to_column_name(logicalrelid, partkey),
              count(DISTINCT shardid), count(*), colocationid
            FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid)
              JOIN pg_dist_placement USING (shardid)
            WHERE logicalrelid = 'data_table'::regclass
            GROUP BY logicalrelid, partkey, colocationid
            """,
            List.of("id", "32", "32", "1"));
  }

  @Test
  void aServerAndItsReplicas() throws SQLException {
    fake.expectRows(VERSION, List.of()).expect(PostgresqlTopology.REPLICAS, List.of("2"));
    assertThat(read()).contains(new Topology(1, 3, 0));
  }

  @Test
  void nodesOfCitusAndTheirReplicas() throws SQLException {
    distributed().expect(PostgresqlTopology.NODES, List.of("3", "t", "6"));
    assertThat(read()).contains(new Topology(3, 6, 2));
  }

  @Test
  void aNodeThatDoesNotAnswerMakesItUnknown() throws SQLException {
    distributed().expect(PostgresqlTopology.NODES, List.of("3", "f", "5"));
    assertThat(read()).isEmpty();
  }

  @Test
  void aTableThatIsNotDistributedIsASingleServers() throws SQLException {
    fake.expect(VERSION, List.of("12.1"))
        .expect(THERE, List.of("f"))
        .expect(PostgresqlTopology.REPLICAS, List.of("0"));
    assertThat(read()).contains(Topology.SINGLE);
  }

  @Test
  @OnCitus
  void aRealCitusNamesTheNodesThatHoldTheTable() throws Exception {
    int nodes =
        Integer.parseInt(
            CitusIntegrationTest.ask("SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards")
                .get(0));
    try (Target target = CitusIntegrationTest.open("{'distribution': 'id'}")) {
      CitusIntegrationTest.make(target, Map.of("distribution", "id"));
      assertThat(target.topology()).contains(new Topology(nodes, nodes, 1));
    }
  }

  // Where the rows lie, by a real PostgreSQL; Citus is a fake that answers as its catalog would.

  @Test
  void aServerNamesItsAddressAndItsKernel() throws Exception {
    String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    try (Target target = TestDatabases.fresh().open("{}")) {
      assertThat(target.dataHosts()).containsExactly(new DataHost("127.0.0.1", boot));
    }
  }

  @Test
  void aUserWithoutTheRightIsToldTheAddressAlone() throws Exception {
    Database database = TestDatabases.fresh();
    database.execute("CREATE ROLE stranger");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET ROLE stranger");
      assertThat(DataHosts.read(statement)).containsExactly(new DataHost("127.0.0.1", ""));
    } finally {
      database.execute("DROP ROLE stranger");
    }
  }

  /** The coordinator takes no shards, so the query leaves it out; one node refused to answer. */
  @Test
  void theNodesOfCitusThatTakeShardsHoldTheRows() throws SQLException {
    fake.expect(VERSION, List.of("12.1"))
        .expectRows(DataHosts.NODES, List.of(List.of("w1", "boot-1\n"), List.of("w2", "")));
    try (Statement statement = fake.connection().createStatement()) {
      assertThat(DataHosts.read(statement))
          .containsExactly(new DataHost("w1", "boot-1"), new DataHost("w2", ""));
    }
    assertThat(DataHosts.NODES).contains("WHERE shouldhaveshards");
  }

  private String lost(List<List<String>> rows) throws SQLException {
    fake.expect(VERSION, List.of("12.1-1")).expectRows(WORKERS, rows);
    try (Statement statement = fake.connection().createStatement()) {
      return LostWorkers.of(statement);
    }
  }

  // Answers as Citus 12.1.12 gave them.

  @Test
  void aWorkerThatIsDownOrSwitchedOffIsOneClause() throws SQLException {
    assertThat(lost(List.of(List.of("127.0.0.1:25434", "failed to connect to 127.0.0.1:25434\n"))))
        .isEqualTo(
            "the Citus worker 127.0.0.1:25434 does not answer: failed to connect to"
                + " 127.0.0.1:25434");
    assertThat(lost(List.of(List.of("w1:1", "one"), List.of("w2:1", "two"))))
        .isEqualTo("2 Citus workers do not answer, w1:1, w2:1: one");
    assertThat(lost(List.of())).isEmpty();
  }

  /** PostgreSQL's word for a statement timeout, and pgjdbc's for a socket that says nothing. */
  @Test
  void aWorkerThatHangsAnswersNotInTime() throws SQLException {
    for (SQLException silence :
        List.of(
            new SQLException("canceling statement due to statement timeout", "57014"),
            new SQLException("An I/O error", "08006", new SocketTimeoutException("timed out")))) {
      fake.expect(VERSION, List.of("12.1-1")).expectFailure(WORKERS, silence);
      try (Statement statement = fake.connection().createStatement()) {
        assertThat(LostWorkers.of(statement)).isEqualTo("a Citus worker does not answer in time");
      }
    }
  }

  @Test
  void aServerWithoutCitusHasNoWorkers() throws SQLException {
    fake.expect(VERSION);
    try (Statement statement = fake.connection().createStatement()) {
      assertThat(LostWorkers.of(statement)).isEmpty();
    }
    assertThat(fake.nothingLeft()).isTrue();
  }

  /** Connects until the queue of a listener that accepts nothing is full: Linux then drops SYNs. */
  private static List<Socket> fill(ServerSocket silent) throws IOException {
    List<Socket> queued = new ArrayList<>();
    while (queued.size() < 16) {
      Socket next = new Socket();
      queued.add(next);
      try {
        next.connect(silent.getLocalSocketAddress(), 500);
      } catch (SocketTimeoutException e) {
        return queued;
      }
    }
    throw new AssertionError("the queue of the listener takes every connection");
  }

  /** Citus' maintenance daemon may itself wait for the silent worker: each attempt waits 5 s. */
  private static void drop(String database) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        CitusIntegrationTest.ask("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
        return;
      } catch (SQLException e) {
        if (attempt == 10 || !PSQLState.OBJECT_IN_USE.getState().equals(e.getSQLState())) {
          throw e;
        }
      }
    }
  }

  /**
   * The coordinator runs on this machine, in a database of its own whose node list has one worker
   * that is silent as a machine that is switched off. Mutation: the coordinator's own time limit
   * for connections, which is longer than the query timeout.
   */
  @Test
  @OnCitus
  void aRealCitusNamesTheWorkerThatIsSwitchedOff() throws Exception {
    String url = System.getenv("SHARDLOAD_TEST_CITUS_URL");
    String database = "shardload_silent";
    drop(database);
    CitusIntegrationTest.ask("CREATE DATABASE " + database);
    List<Socket> queued = List.of();
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Connection connection =
            DriverManager.getConnection(
                "jdbc:" + url.substring(0, url.lastIndexOf('/') + 1) + database,
                System.getenv().getOrDefault("SHARDLOAD_TEST_CITUS_USER", "shardload"),
                System.getenv("SHARDLOAD_TEST_CITUS_PASSWORD"));
        Statement statement = connection.createStatement()) {
      queued = fill(silent);
      String worker = "127.0.0.1:" + silent.getLocalPort();
      statement.execute("CREATE EXTENSION citus");
      // citus_add_node would connect to the worker.
      statement.execute(
          "INSERT INTO pg_dist_node (nodename, nodeport, isactive) VALUES ('127.0.0.1', %d, true)"
              .formatted(silent.getLocalPort()));
      statement.setQueryTimeout(10);
      assertThat(LostWorkers.of(statement))
          .isEqualTo(
              "the Citus worker %s does not answer: failed to connect to %s"
                  .formatted(worker, worker));
      // The next statement of the session has the server's own limit again.
      assertThat(Queries.text(statement, "SHOW citus.node_connection_timeout")).isEqualTo("30s");
    } finally {
      for (Socket socket : queued) {
        socket.close();
      }
      drop(database);
    }
  }
}
