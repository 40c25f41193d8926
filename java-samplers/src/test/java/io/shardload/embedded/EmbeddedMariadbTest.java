package io.shardload.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real server on a directory of its own. */
@Timeout(300)
class EmbeddedMariadbTest {
  private final Path home = Path.of("target", "mariadb", UUID.randomUUID().toString());

  /** The only row of a table, which a first call makes. */
  private static int row(EmbeddedMariadb server) throws SQLException {
    String url = "jdbc:" + server.url() + "?sslMode=disable";
    try (Connection connection =
            DriverManager.getConnection(url, EmbeddedMariadb.USER, server.password());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS t (n int PRIMARY KEY) SELECT 7 AS n");
      try (ResultSet row = statement.executeQuery("SELECT n FROM t")) {
        assertThat(row.next()).isTrue();
        return row.getInt(1);
      }
    }
  }

  /** Mutations: no lock; a set-up that was interrupted counts as complete. */
  @Test
  void aDirectoryKeepsItsDataForOneServerAtATime() throws Exception {
    Files.createDirectories(home.resolve("initializing/mysql"));
    try (EmbeddedMariadb server = EmbeddedMariadb.start(home)) {
      assertThat(row(server)).isEqualTo(7);
      assertThatThrownBy(() -> EmbeddedMariadb.start(home))
          .isInstanceOf(EmbeddedServerException.class)
          .hasMessageContaining("another run uses the embedded server in");
      server.killHard();
      server.restart();
      assertThat(row(server)).isEqualTo(7);
    }
    assertThat(home.resolve("server.log.old")).content().contains("ready for connections");
    try (EmbeddedMariadb again = EmbeddedMariadb.start(home)) {
      assertThat(row(again)).isEqualTo(7);
    }
  }
}
