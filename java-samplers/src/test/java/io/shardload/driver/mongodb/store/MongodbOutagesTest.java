package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.OwnFerretdb;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
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
  private static final Document FIRST = document(0);

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
      DocumentStore store = target.port(DocumentStore.class);
      List<Future<CallFailure>> failures = start(store);
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
      assertThat(untilItAnswers(store)).hasSize(1);
      store.insert(document(-1), Phases.NONE);
      inserted.add(document(-1).filter1());
    }
    assertNothingIsLostAndNothingIsThereThatWasRuledOut();
  }

  @Test
  void aServerThatIsKilledLeavesWritesUnknownAndFindsFailed() throws Exception {
    // Long enough that no find is late before the server is killed.
    try (Target target = server.database().open(OPTIONS, session(Duration.ofSeconds(30)))) {
      DocumentStore store = target.port(DocumentStore.class);
      List<Future<CallFailure>> failures = start(store);
      underWay.await();
      server.killHard();
      for (Future<CallFailure> failure : failures) {
        assertThat(failure.get().kind()).isIn("connection-lost", "connection-refused");
      }
      // Nobody is there any more, so this one is never sent.
      assertThat(untilItFails(() -> insert(store)).effectExcluded()).isTrue();
    }
    server.restart();
    assertNothingIsLostAndNothingIsThereThatWasRuledOut();
  }

  private static Session session(Duration statementTimeout) {
    return new Session("test", WORKERS, statementTimeout);
  }

  /** Two that insert, one that updates the first document and one that reads it. */
  private List<Future<CallFailure>> start(DocumentStore store) throws CallFailure {
    store.insert(FIRST, Phases.NONE);
    inserted.add(FIRST.filter1());
    return List.of(
        threads.submit(() -> untilItFails(() -> insert(store))),
        threads.submit(() -> untilItFails(() -> insert(store))),
        threads.submit(() -> untilItFails(() -> update(store))),
        threads.submit(
            () ->
                untilItFails(
                    () ->
                        assertThat(
                                store.find(
                                    Find.BY_ID_AND_FILTER1.of(FIRST.id(), FIRST.filter1()),
                                    Phases.NONE))
                            .hasSize(1))));
  }

  private void insert(DocumentStore store) throws CallFailure {
    Document document = document(numbers.incrementAndGet());
    try {
      store.insert(document, Phases.NONE);
      inserted.add(document.filter1());
      underWay.countDown();
    } catch (CallFailure e) {
      (e.effectExcluded() ? withoutEffect : unknown).add(document.filter1());
      throw e;
    }
  }

  private void update(DocumentStore store) throws CallFailure {
    Change change = new Change("a", 1, "b", "c", updated + 1);
    try {
      assertThat(store.update(FIRST.id(), FIRST.filter1(), updated, change, Phases.NONE))
          .isEqualTo(1);
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
  private static List<Document> untilItAnswers(DocumentStore store) throws CallFailure {
    for (int attempt = 1; ; attempt++) {
      try {
        return store.find(Find.BY_ID_AND_FILTER1.of(FIRST.id(), FIRST.filter1()), Phases.NONE);
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
    for (org.bson.Document row :
        server.database().bson().getCollection(Statements.COLLECTION).find()) {
      stored.add(row.getString("filter1"));
      edition = Math.max(edition, row.getInteger("edition"));
    }
    assertThat(unknown).as("without effect: %s", withoutEffect).isNotEmpty();
    assertThat(stored).doesNotHaveDuplicates().containsAll(inserted);
    stored.removeAll(inserted);
    assertThat(unknown).containsAll(stored);
    assertThat(edition).isBetween(updated, updateUnknown ? updated + 1 : updated);
  }

  private static Document document(int number) {
    return new Document(new UUID(1, number), "k" + number, "a", 1, "b", "c", "text", 0);
  }
}
