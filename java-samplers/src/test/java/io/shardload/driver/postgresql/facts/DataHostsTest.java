package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.DataHost;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.FakeConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where the rows lie, by a real PostgreSQL; Citus is a fake that answers as its catalog would. */
class DataHostsTest {
  private static final String VERSION =
      "SELECT extversion FROM pg_extension WHERE extname = 'citus'";

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
    FakeConnection fake = new FakeConnection();
    fake.expect(VERSION, List.of("12.1"))
        .expectRows(DataHosts.NODES, List.of(List.of("w1", "boot-1\n"), List.of("w2", "")));
    try (Statement statement = fake.connection().createStatement()) {
      assertThat(DataHosts.read(statement))
          .containsExactly(new DataHost("w1", "boot-1"), new DataHost("w2", ""));
    }
    assertThat(DataHosts.NODES).contains("WHERE shouldhaveshards");
  }
}
