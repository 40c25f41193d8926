package io.shardload.driver.postgresql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is connected, as the server tells it, and how connections end that wait for a lock. */
class PostgresqlConnectedTest {
  /** Two looks that find nobody are enough, however long they take. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Header HEADER =
      new Header("document-store", Map.of(), 0, 0, 0, 0, "", "set", List.of());
  private static final String OURS =
      "SELECT DISTINCT application_name FROM pg_stat_activity"
          + " WHERE datname = current_database() AND application_name LIKE 'shardload%'";

  private final Database database = TestDatabases.fresh();

  /**
   * Mutations: only active statements counted; one name for both roles, so that it waits for
   * itself.
   */
  @Test
  void quietMeansThatNobodyOfTheNameIsConnected() throws Exception {
    Session generator = new Session("someone", 1, Duration.ofSeconds(5));
    String name = generator.applicationName();
    try (Target target = database.open("{}", generator.asController())) {
      assertThat(target.dataSets().header()).isEmpty();
      assertThat(target.awaitDisconnected(name, PATIENCE)).isTrue();
      try (Target idle = database.open("{}", generator)) {
        idle.port(DocumentStore.class);
        assertThat(target.awaitDisconnected(name, Duration.ofMillis(300))).isFalse();
        assertThat(target.awaitDisconnected("shardload-other", PATIENCE)).isTrue();
      }
      assertThat(target.awaitDisconnected(name, PATIENCE)).isTrue();
    }
  }

  /** Mutation: the run id taken as it is. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "run-1",
        "20260101-120000-a-target-with-quite-a-long-name-smoke-profile-of-somebody",
        "zürich",
        "it's \\ \"quoted\""
      })
  @Timeout(120)
  void theServerListsTheVeryName(String runId) throws Exception {
    for (boolean controller : new boolean[] {false, true}) {
      Session session = new Session(runId, 1, Duration.ofSeconds(5), controller);
      try (Target target = database.open("{}", session)) {
        target.port(DocumentStore.class);
        assertThat(database.ask(OURS)).containsExactly(session.applicationName());
      }
      while (!database.ask(OURS).isEmpty()) {
        Thread.sleep(10);
      }
    }
  }

  /** Mutation: the connection for the header opened without a statement timeout. */
  @Test
  @Timeout(120)
  void aLockedHeaderIsNotWaitedForLongerThanForAnyStatement() throws Exception {
    try (Target target = database.open("{}", new Session("test", 1, Duration.ofSeconds(2)));
        Connection locker = database.connect();
        Statement lock = locker.createStatement()) {
      target.dataSets().create(HEADER);
      locker.setAutoCommit(false);
      lock.execute("LOCK TABLE shardload_header");

      CallFailure late = catchThrowableOfType(CallFailure.class, () -> target.dataSets().header());

      assertThat(late.kind()).isEqualTo("timeout");
    }
  }

  /** Mutation: {@code close()} waits for the lock instead of trying it. */
  @Test
  @Timeout(120)
  void closingDoesNotWaitForAStatementThatHangs() throws Exception {
    Target target = database.open("{}", new Session("test", 1, Duration.ofMinutes(1)));
    target.dataSets().create(HEADER);
    try (Connection locker = database.connect();
        Statement lock = locker.createStatement()) {
      locker.setAutoCommit(false);
      lock.execute("LOCK TABLE shardload_header");
      CompletableFuture<Throwable> hanging =
          CompletableFuture.supplyAsync(() -> catchThrowable(() -> target.dataSets().header()));
      while (database.ask("SELECT 1 FROM pg_locks WHERE NOT granted").isEmpty()) {
        Thread.sleep(10);
      }

      long begin = System.nanoTime();
      target.close();

      // Half the time after which the statement would have ended by itself.
      assertThat(System.nanoTime() - begin).isLessThan(30_000_000_000L);
      assertThat(hanging.get(30, TimeUnit.SECONDS)).isInstanceOf(CallFailure.class);
      assertThat(catchThrowable(() -> target.dataSets().header())).isInstanceOf(CallFailure.class);
    }
  }
}
