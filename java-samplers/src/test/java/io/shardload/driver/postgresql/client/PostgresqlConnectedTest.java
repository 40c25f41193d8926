package io.shardload.driver.postgresql.client;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Header;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.port.StatementStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  private static final ServerUrl ADDRESS =
      ServerUrl.parse("postgresql://127.0.0.1/shardload", "postgresql://", 5432, "");

  private static final String FIND = "find-by-id-and-filter1";
  private static final String FILTER2 = "data_table.filter2";

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
        idle.port(StatementStore.class);
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
        target.dataSets().header();
        target.port(StatementStore.class);
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

      CallFailure late = failureOf(() -> target.dataSets().header());

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

  // Servers of other versions, of which there are only fakes here.

  @ParameterizedTest
  @ValueSource(ints = {13, 19})
  void aVersionThatIsNotSupportedIsRefused(int major) {
    ConfigException e = refusalOf(() -> probe(major).run());
    assertThat(e.key()).isEqualTo("target.url");
    assertThat(e)
        .hasMessage(
            "PostgreSQL %d is not supported; supported versions are 14 to 18".formatted(major));
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void theOldestAndTheNewestAreTaken(int major) {
    // What is asked next, the fake refuses to answer.
    AssertionError e = catchThrowableOfType(AssertionError.class, () -> probe(major).run());
    assertThat(e).hasMessage("unexpected: createStatement");
  }

  private static Probe probe(int major) {
    DatabaseMetaData version =
        fake(DatabaseMetaData.class, name -> name.equals("getDatabaseMajorVersion") ? major : null);
    Connection connection =
        fake(Connection.class, name -> name.equals("getMetaData") ? version : null);
    DataSource source =
        fake(DataSource.class, name -> name.equals("getConnection") ? connection : null);
    return new Probe(
        ADDRESS,
        "tester",
        Settings.read(new Options("target.options", new JsonObject()), true),
        new Session("test", 1, Duration.ofSeconds(5)),
        (hosts, serverType) -> source);
  }

  private interface Answers {
    Object to(String method);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object answer = answers.to(method.getName());
          if (answer == null && !method.getName().equals("close")) {
            throw new AssertionError("unexpected: " + method.getName());
          }
          return answer;
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static DocumentStoreCalls made(Target target) throws CallFailure {
    return DocumentStoreCalls.made(DocumentStoreData.CALLS.folder("postgresql"), target);
  }

  // Every error has its kind, and tells rightly whether the write can have happened. Mutations
  // that turned it red: 57014 counted as excluded; 08xxx counted as excluded when it comes as an
  // ERROR.

  @Test
  void theServersErrors() throws Exception {
    Database database = TestDatabases.fresh();
    Session session = new Session("test", 2, Duration.ofSeconds(2));
    try (Target target = database.open("{}", session)) {
      DocumentStoreCalls calls = made(target);
      // The first call of each kind asks the server for its types.
      calls.insert(0);
      assertThat(calls.update(0, 1)).isEqualTo(1);
      assertThat(calls.find(FIND, 0, Map.of())).hasSize(1);

      CallFailure twice = failureOf(() -> calls.insert(0));
      assertThat(twice.kind()).isEqualTo("duplicate-key");
      assertThat(twice.effectExcluded()).isTrue();
      assertThat(twice.transientFailure()).isFalse();

      Map<String, String> long129 = Map.of("data_table.filter1", "k".repeat(129));
      CallFailure tooLong = failureOf(() -> calls.changed("insert", 0, 0, long129));
      assertThat(tooLong.kind()).isEqualTo("sqlstate-22001");
      assertThat(tooLong.effectExcluded()).isTrue();

      try (Connection locker = database.connect();
          Statement lock = locker.createStatement()) {
        locker.setAutoCommit(false);
        lock.execute("LOCK TABLE data_table");
        long begin = System.nanoTime();
        CallFailure late = failureOf(() -> calls.update(0, 2));
        assertThat(late.kind()).isEqualTo("timeout");
        assertThat(late.effectExcluded()).isFalse();
        assertThat(late.transientFailure()).isTrue();
        assertThat(System.nanoTime() - begin).isGreaterThan(1_900_000_000L);
      }

      database.execute("ALTER TABLE data_table ADD CHECK (filter2 <> 'b')");
      CallFailure check = failureOf(() -> calls.changed("update", 0, 2, Map.of(FILTER2, "b")));
      assertThat(check.kind()).isEqualTo("constraint-violation");
      assertThat(check.effectExcluded()).isTrue();

      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
              + " 'shardload-test' AND pid <> pg_backend_pid()");
      CallFailure ended = failureOf(() -> calls.update(0, 2));
      assertThat(ended.kind()).isEqualTo("connection-lost");
      assertThat(ended.effectExcluded()).isFalse();
      database.execute("DROP TABLE data_table");
      CallFailure gone = failureOf(() -> findTillAnswered(calls));
      assertThat(gone.kind()).isEqualTo("sqlstate-42P01");
    }
  }

  /** A trigger answers each insert with the SQLSTATE that filter2 names. */
  @ParameterizedTest
  @CsvSource({
    "08006, node-lost, false, true",
    "57P01, node-lost, false, true",
    "57014, timeout, false, true",
    "40003, completion-unknown, false, true",
    "40001, serialization-failure, true, true",
    "40P01, deadlock, true, true",
    "53100, disk-full, true, true",
    "53200, out-of-memory, true, true",
    "55P03, lock-timeout, true, true",
    "25006, read-only, true, false",
    "23503, constraint-violation, true, false",
    "23505, duplicate-key, true, false",
    "P0001, sqlstate-P0001, true, false"
  })
  void everySqlstateHasItsKind(String state, String kind, boolean excluded, boolean again)
      throws CallFailure {
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}")) {
      DocumentStoreCalls calls = made(target);
      database.execute(
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN RAISE EXCEPTION USING ERRCODE = NEW.filter2; END'");
      database.execute(
          "CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION"
              + " refuse()");

      CallFailure failure = failureOf(() -> calls.changed("insert", 0, 0, Map.of(FILTER2, state)));

      assertThat(failure.kind()).isEqualTo(kind);
      assertThat(failure.effectExcluded()).isEqualTo(excluded);
      assertThat(failure.transientFailure()).isEqualTo(again);
    }
  }

  /** Each of the pool's connections that was ended costs one call. */
  private static void findTillAnswered(DocumentStoreCalls calls) throws CallFailure {
    for (int i = 0; ; i++) {
      try {
        calls.find(FIND, 0, Map.of());
        return;
      } catch (CallFailure e) {
        if (i == 2 || !e.kind().equals("connection-lost")) {
          throw e;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pooled", "per-transaction"})
  void aServerThatIsKilledAndStartedAgain(String connections, @TempDir Path temporary)
      throws Exception {
    try (EmbeddedPostgres server =
        TestDatabases.server(temporary.resolve("data"), PostgresSettings.durable())) {
      Database database = TestDatabases.on(server);
      String options = "{'connections': '" + connections + "', 'connect-timeout': '1s'}";
      try (Target target = database.open(options)) {
        Writers writers = new Writers(made(target));
        writers.awaitAcknowledged(50);
        server.killHard();
        Thread.sleep(1_500);
        server.restart();
        writers.awaitAcknowledged(writers.acknowledged.size() + 50);
        writers.stop();

        Set<String> there = Set.copyOf(database.ask("SELECT filter1 FROM data_table"));
        assertThat(there).containsAll(writers.acknowledged);
        assertThat(there).doesNotContainAnyElementsOf(writers.excluded);
        assertThat(writers.kinds).isNotEmpty();
        assertThat(writers.kinds)
            .isSubsetOf(
                "connect-timeout",
                "connection-lost",
                "connection-refused",
                "pool-timeout",
                "server-shutting-down",
                "server-starting");
        // Nobody sat out the socket's timeout, 5 s beyond the statement's 5 s.
        assertThat(writers.longestNanos).isLessThan(10_000_000_000L);
        target.dataSets().header();
      }
    }
  }

  /** Two threads that insert without pause. */
  private static final class Writers {
    final List<String> acknowledged = new CopyOnWriteArrayList<>();
    final Set<String> excluded = ConcurrentHashMap.newKeySet();
    final Set<String> kinds = ConcurrentHashMap.newKeySet();
    volatile long longestNanos;
    private final DocumentStoreCalls calls;
    private volatile boolean stopped;
    private final List<Thread> threads;

    Writers(DocumentStoreCalls calls) {
      this.calls = calls;
      this.threads = List.of(new Thread(() -> write("a")), new Thread(() -> write("b")));
      threads.forEach(Thread::start);
    }

    private void write(String prefix) {
      for (int i = 0; !stopped; i++) {
        String filter1 = prefix + i;
        long begin = System.nanoTime();
        try {
          calls.changed("insert", 0, 0, Map.of("data_table.filter1", filter1));
          acknowledged.add(filter1);
        } catch (CallFailure e) {
          kinds.add(e.kind());
          if (e.effectExcluded()) {
            excluded.add(filter1);
          }
        }
        synchronized (this) {
          longestNanos = Math.max(longestNanos, System.nanoTime() - begin);
        }
      }
    }

    void awaitAcknowledged(int count) throws InterruptedException {
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (acknowledged.size() < count) {
        assertThat(System.nanoTime()).as("kinds: %s", kinds).isLessThan(deadline);
        Thread.sleep(10);
      }
    }

    void stop() throws InterruptedException {
      stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}
