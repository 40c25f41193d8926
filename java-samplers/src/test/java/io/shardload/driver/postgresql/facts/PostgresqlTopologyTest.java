package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Makings;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Target;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.driver.postgresql.FakeConnection;
import io.shardload.topology.Topology;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How many servers hold the table; replicas of a real server are in PostgresqlReplicaTest. */
class PostgresqlTopologyTest {
  private static final String VERSION =
      "SELECT extversion FROM pg_extension WHERE extname = 'citus'";
  private static final String THERE = "SELECT to_regclass('data_table') IS NOT NULL";

  private final FakeConnection fake = new FakeConnection();

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
      target
          .port(DocumentStoreAdmin.class)
          .createSchema(Makings.again(target, "data_table"), Progress.UNHEARD);
      assertThat(target.topology()).contains(new Topology(nodes, nodes, 1));
    }
  }
}
