package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.postgresql.FakeConnection;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers as Citus 12.1.12 gave them. */
class LostWorkersTest {
  private static final String CITUS = "SELECT extversion FROM pg_extension WHERE extname = 'citus'";

  private final FakeConnection fake = new FakeConnection();

  private static final String WORKERS =
      "SELECT nodename || ':' || nodeport, result FROM set_config('citus.node_connection_timeout',"
          + " '1000', true) AS longest(wait), run_command_on_workers('SELECT ' ||"
          + " quote_literal(longest.wait)) WHERE NOT success ORDER BY 1";

  private String lost(List<List<String>> rows) throws SQLException {
    fake.expect(CITUS, List.of("12.1-1")).expectRows(WORKERS, rows);
    try (Statement statement = fake.connection().createStatement()) {
      return LostWorkers.of(statement);
    }
  }

  @Test
  void aWorkerThatIsDownOrSwitchedOffIsOneClause() throws SQLException {
    assertThat(lost(List.of(List.of("127.0.0.1:25434", "failed to connect to 127.0.0.1:25434\n"))))
        .isEqualTo(
            "the worker 127.0.0.1:25434 of Citus does not answer:"
                + " failed to connect to 127.0.0.1:25434");
    assertThat(lost(List.of(List.of("w1:1", "one"), List.of("w2:1", "two"))))
        .isEqualTo("2 workers of Citus do not answer, w1:1, w2:1: one");
    assertThat(lost(List.of())).isEmpty();
  }

  /** PostgreSQL's word for a statement timeout, and pgjdbc's for a socket that says nothing. */
  @Test
  void aWorkerThatHangsAnswersNotInTime() throws SQLException {
    for (SQLException silence :
        List.of(
            new SQLException("canceling statement due to statement timeout", "57014"),
            new SQLException("An I/O error", "08006", new SocketTimeoutException("timed out")))) {
      fake.expect(CITUS, List.of("12.1-1")).expectFailure(WORKERS, silence);
      try (Statement statement = fake.connection().createStatement()) {
        assertThat(LostWorkers.of(statement))
            .isEqualTo("a worker of Citus does not answer in time");
      }
    }
  }

  @Test
  void aServerWithoutCitusHasNoWorkers() throws SQLException {
    fake.expect(CITUS);
    try (Statement statement = fake.connection().createStatement()) {
      assertThat(LostWorkers.of(statement)).isEmpty();
    }
    assertThat(fake.nothingLeft()).isTrue();
  }
}
