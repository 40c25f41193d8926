package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.postgresql.FakeConnection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers as Citus 12.1.12 gave them. */
class LostWorkersTest {
  private final FakeConnection fake = new FakeConnection();

  private String lost(List<List<String>> rows) throws SQLException {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of("12.1-1"))
        .expectRows(
            "SELECT nodename || ':' || nodeport, result FROM run_command_on_workers('SELECT 1')"
                + " WHERE NOT success ORDER BY 1",
            rows);
    try (Statement statement = fake.connection().createStatement()) {
      return LostWorkers.of(statement);
    }
  }

  @Test
  void aWorkerThatIsDownIsOneClause() throws SQLException {
    assertThat(lost(List.of(List.of("127.0.0.1:25434", "failed to connect to 127.0.0.1:25434\n"))))
        .isEqualTo(
            "the worker 127.0.0.1:25434 of Citus does not answer:"
                + " failed to connect to 127.0.0.1:25434");
    assertThat(lost(List.of(List.of("w1:1", "one"), List.of("w2:1", "two"))))
        .isEqualTo("2 workers of Citus do not answer, w1:1, w2:1: one");
    assertThat(lost(List.of())).isEmpty();
  }

  @Test
  void aServerWithoutCitusHasNoWorkers() throws SQLException {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'");
    try (Statement statement = fake.connection().createStatement()) {
      assertThat(LostWorkers.of(statement)).isEmpty();
    }
    assertThat(fake.nothingLeft()).isTrue();
  }
}
