package io.shardload.driver.mongodb.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.OwnFerretdb;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.StatementStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real FerretDB that stops answering, and one that is killed, while calls are under way. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class MongodbOutagesTest {
  private static final int WORKERS = 4;
  private static final int MOST_ATTEMPTS = 100;
  private static final String OPTIONS =
      "{'connect-timeout': '1s', 'server-selection-timeout': '3s'}";
  private static final StatementsModel MODEL = DocumentStoreData.CALLS.folder("ferretdb");

  private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
  private final OwnFerretdb server = TestMongo.ownFerretdb();
  private final CountDownLatch underWay = new CountDownLatch(50);

  private final AtomicInteger numbers = new AtomicInteger();
  private final Set<String> inserted = ConcurrentHashMap.newKeySet();
  private final Set<String> withoutEffect = ConcurrentHashMap.newKeySet();
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();

  /** The edition that was acknowledged last, and whether the next one was sent. */
  private int updated;

  private boolean updateUnknown;

  @AfterEach
  void close() {
    threads.shutdownNow();
    server.close();
  }

  @Test
  void aServerThatHangsLeavesWritesUnknownAndFindsFailed() throws Exception {
    try (Target target = server.database().open(OPTIONS, session(Duration.ofMillis(300)))) {
      DocumentStoreCalls calls = new DocumentStoreCalls(MODEL, target.port(StatementStore.class));
      List<Future<CallFailure>> failures = start(calls);
      underWay.await();
      server.halt();
      try {
        // Each gives up by itself, while the server is still halted.
        for (Future<CallFailure> failure : failures) {
          assertThat(failure.get().kind()).isIn("timeout", "connection-lost", "no-server");
        }
      } finally {
        server.resume();
      }
      assertThat(untilItAnswers(calls)).hasSize(1);
      insert(calls);
    }
    assertNothingIsLostAndNothingIsThereThatWasRuledOut();
  }

  @Test
  void aServerThatIsKilledLeavesWritesUnknownAndFindsFailed() throws Exception {
    // Long enough that no find is late before the server is killed.
    try (Target target = server.database().open(OPTIONS, session(Duration.ofSeconds(30)))) {
      DocumentStoreCalls calls = new DocumentStoreCalls(MODEL, target.port(StatementStore.class));
      List<Future<CallFailure>> failures = start(calls);
      underWay.await();
      server.killHard();
      for (Future<CallFailure> failure : failures) {
        assertThat(failure.get().kind()).isIn("connection-lost", "connection-refused");
      }
      // Nobody is there any more, so this one is never sent.
      assertThat(untilItFails(() -> insert(calls)).effectExcluded()).isTrue();
    }
    server.restart();
    assertNothingIsLostAndNothingIsThereThatWasRuledOut();
  }

  private static Session session(Duration statementTimeout) {
    return new Session("test", WORKERS, statementTimeout);
  }

  /** Two that insert, one that updates the first document and one that reads it. */
  private List<Future<CallFailure>> start(DocumentStoreCalls calls) throws CallFailure {
    calls.insert(0);
    inserted.add(filter1(0));
    return List.of(
        threads.submit(() -> untilItFails(() -> insert(calls))),
        threads.submit(() -> untilItFails(() -> insert(calls))),
        threads.submit(() -> untilItFails(() -> update(calls))),
        threads.submit(
            () ->
                untilItFails(
                    () ->
                        assertThat(calls.find("find-by-id-and-filter1", 0, Map.of())).hasSize(1))));
  }

  private void insert(DocumentStoreCalls calls) throws CallFailure {
    long ordinal = numbers.incrementAndGet();
    try {
      assertThat(calls.insert(ordinal)).isEqualTo(1);
      inserted.add(filter1(ordinal));
      underWay.countDown();
    } catch (CallFailure e) {
      (e.effectExcluded() ? withoutEffect : unknown).add(filter1(ordinal));
      throw e;
    }
  }

  private void update(DocumentStoreCalls calls) throws CallFailure {
    try {
      assertThat(calls.update(0, updated + 1)).isEqualTo(1);
      updated++;
    } catch (CallFailure e) {
      updateUnknown = !e.effectExcluded();
      throw e;
    }
  }

  /** A call of the store. */
  @FunctionalInterface
  private interface Attempt {
    void run() throws CallFailure;
  }

  private static CallFailure untilItFails(Attempt attempt) {
    while (true) {
      try {
        attempt.run();
      } catch (CallFailure e) {
        return e;
      }
    }
  }

  /** The driver looks at intervals of its own whether the server is back. */
  private static List<?> untilItAnswers(DocumentStoreCalls calls) throws CallFailure {
    for (int attempt = 1; ; attempt++) {
      try {
        return calls.find("find-by-id-and-filter1", 0, Map.of());
      } catch (CallFailure e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** What the server has, by a client that goes past the code under test. */
  private void assertNothingIsLostAndNothingIsThereThatWasRuledOut() {
    List<String> stored = new ArrayList<>();
    int edition = -1;
    for (org.bson.Document row : server.database().bson().getCollection("data_table").find()) {
      stored.add(row.getString("filter1"));
      edition = Math.max(edition, row.getInteger("edition"));
    }
    assertThat(unknown).as("without effect: %s", withoutEffect).isNotEmpty();
    assertThat(stored).doesNotHaveDuplicates().containsAll(inserted);
    stored.removeAll(inserted);
    assertThat(unknown).containsAll(stored);
    assertThat(edition).isBetween(updated, updateUnknown ? updated + 1 : updated);
  }

  private static String filter1(long ordinal) {
    Entity entity = DocumentStoreFolder.entity(MODEL);
    return (String) entity.value(entity.key(), ordinal, 0);
  }
}
