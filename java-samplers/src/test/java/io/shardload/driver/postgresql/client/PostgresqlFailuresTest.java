package io.shardload.driver.postgresql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Find;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every error has its kind, and tells rightly whether the write can have happened.
 *
 * <p>Mutations that turned it red: 57014 counted as excluded; 08xxx counted as excluded when it
 * comes as an ERROR.
 */
class PostgresqlFailuresTest {
  private static final UUID ID = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final Change CHANGE = new Change("b", 2, "b", "b", 1);

  private static Document document(String filter1) {
    return new Document(ID, filter1, "a", 1, "a", "a", "text", 0);
  }

  private static CallFailure failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return catchThrowableOfType(CallFailure.class, call);
  }

  @Test
  void theServersErrors() throws Exception {
    Database database = TestDatabases.fresh();
    Session session = new Session("test", 2, Duration.ofSeconds(2));
    try (Target target = database.open("{}", session)) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      DocumentStore store = target.port(DocumentStore.class);
      store.insert(document("k1"), Phases.NONE);

      CallFailure twice = failure(() -> store.insert(document("k1"), Phases.NONE));
      assertThat(twice.kind()).isEqualTo("duplicate-key");
      assertThat(twice.effectExcluded()).isTrue();
      assertThat(twice.transientFailure()).isFalse();

      CallFailure tooLong = failure(() -> store.insert(document("k".repeat(129)), Phases.NONE));
      assertThat(tooLong.kind()).isEqualTo("sqlstate-22001");
      assertThat(tooLong.effectExcluded()).isTrue();

      try (Connection locker = database.connect();
          Statement lock = locker.createStatement()) {
        locker.setAutoCommit(false);
        lock.execute("LOCK TABLE data_table");
        long begin = System.nanoTime();
        CallFailure late = failure(() -> store.update(ID, "k1", 0, CHANGE, Phases.NONE));
        assertThat(late.kind()).isEqualTo("timeout");
        assertThat(late.effectExcluded()).isFalse();
        assertThat(late.transientFailure()).isTrue();
        assertThat(System.nanoTime() - begin).isGreaterThan(1_900_000_000L);
      }

      database.execute("ALTER TABLE data_table ADD CHECK (filter2 <> 'b')");
      CallFailure check = failure(() -> store.update(ID, "k1", 0, CHANGE, Phases.NONE));
      assertThat(check.kind()).isEqualTo("constraint-violation");
      assertThat(check.effectExcluded()).isTrue();

      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
              + " 'shardload-test' AND pid <> pg_backend_pid()");
      CallFailure ended = failure(() -> store.update(ID, "k1", 0, CHANGE, Phases.NONE));
      assertThat(ended.kind()).isEqualTo("connection-lost");
      assertThat(ended.effectExcluded()).isFalse();
      database.execute("DROP TABLE data_table");
      CallFailure gone = failure(() -> findTillAnswered(store));
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
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      database.execute(
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN RAISE EXCEPTION USING ERRCODE = NEW.filter2; END'");
      database.execute(
          "CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION"
              + " refuse()");
      Document document = new Document(ID, "k", state, 1, "a", "a", "text", 0);

      CallFailure failure =
          failure(() -> target.port(DocumentStore.class).insert(document, Phases.NONE));

      assertThat(failure.kind()).isEqualTo(kind);
      assertThat(failure.effectExcluded()).isEqualTo(excluded);
      assertThat(failure.transientFailure()).isEqualTo(again);
    }
  }

  /** Each of the pool's connections that was ended costs one call. */
  private static void findTillAnswered(DocumentStore store) throws CallFailure {
    for (int i = 0; ; i++) {
      try {
        store.find(Find.BY_ID_AND_FILTER1.of(ID, "k1"), Phases.NONE);
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
        target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
        Writers writers = new Writers(target.port(DocumentStore.class));
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
    private final DocumentStore store;
    private volatile boolean stopped;
    private final List<Thread> threads;

    Writers(DocumentStore store) {
      this.store = store;
      this.threads = List.of(new Thread(() -> write("a")), new Thread(() -> write("b")));
      threads.forEach(Thread::start);
    }

    private void write(String prefix) {
      for (int i = 0; !stopped; i++) {
        String filter1 = prefix + i;
        long begin = System.nanoTime();
        try {
          store.insert(document(filter1), Phases.NONE);
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
