package io.shardload.driver.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.OwnFerretdb;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.Document;
import io.shardload.workload.documentstore.DocumentStore;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real FerretDB that stops answering, and one that is killed, in the middle of calls. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MongodbOutagesTest {
  private static final int WORKERS = 4;
  private static final int MOST_ATTEMPTS = 100;
  private static final String OPTIONS =
      "{'connect-timeout': '1s', 'server-selection-timeout': '1s'}";
  private static final Session SESSION = new Session("test", WORKERS, Duration.ofMillis(300));

  private static Document document(int number) {
    return new Document(new UUID(1, number), "k" + number, "a", 1, "b", "c", "text", 0);
  }

  /** Mutation: take a timeout of the socket for one that excludes the effect. */
  @Test
  void aServerThatHangsLeavesAWriteUnknownAndAFindFailed() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (OwnFerretdb server = TestMongo.ownFerretdb();
        Target target = server.database().open(OPTIONS, SESSION)) {
      DocumentStore store = target.port(DocumentStore.class);
      store.insert(document(0), Phases.NONE);
      Future<CallFailure> write;
      Future<CallFailure> find;
      server.halt();
      try {
        write = threads.submit(() -> failure(() -> store.insert(document(1), Phases.NONE)));
        find =
            threads.submit(
                () -> failure(() -> store.findByIdAndFilter1(id(0), "k0", Phases.NONE)));
        // Both give up by themselves, while the server is still halted.
        assertThat(write.get().kind()).isIn("timeout", "connection-lost");
        assertThat(find.get().kind()).isIn("timeout", "connection-lost");
      } finally {
        server.resume();
      }
      assertThat(write.get().effectExcluded()).isFalse();
      assertThat(write.get().transientFailure()).isTrue();
      assertThat(untilItWorks(store)).containsExactly(document(0));
      store.insert(document(2), Phases.NONE);
    } finally {
      threads.shutdownNow();
    }
  }

  private static UUID id(int number) {
    return document(number).id();
  }

  /** The driver looks at intervals of its own whether the server is back. */
  private static List<Document> untilItWorks(DocumentStore store) throws CallFailure {
    for (int attempt = 1; ; attempt++) {
      try {
        return store.findByIdAndFilter1(id(0), "k0", Phases.NONE);
      } catch (CallFailure e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Mutation: take a connection that was cut for an error that excludes the effect. */
  @Test
  void aServerThatIsKilledLeavesItsWritesUnknown() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
    try (OwnFerretdb server = TestMongo.ownFerretdb()) {
      Set<String> acknowledged = ConcurrentHashMap.newKeySet();
      Set<String> without = ConcurrentHashMap.newKeySet();
      Set<String> open = ConcurrentHashMap.newKeySet();
      try (Target target = server.database().open(OPTIONS, SESSION)) {
        DocumentStore store = target.port(DocumentStore.class);
        AtomicInteger next = new AtomicInteger();
        CountDownLatch underWay = new CountDownLatch(50);
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
          writers.add(
              threads.submit(
                  () -> {
                    while (true) {
                      Document document = document(next.incrementAndGet());
                      CallFailure failure =
                          failure(() -> store.insert(document, Phases.NONE));
                      if (failure != null) {
                        (failure.effectExcluded() ? without : open).add(document.filter1());
                        return;
                      }
                      acknowledged.add(document.filter1());
                      underWay.countDown();
                    }
                  }));
        }
        underWay.await();
        server.killHard();
        for (Future<?> writer : writers) {
          writer.get();
        }
      }
      assertThat(open).as("without effect: %s", without).isNotEmpty();
      server.restart();
      List<String> stored =
          server
              .database()
              .bson()
              .getCollection(Statements.COLLECTION)
              .find()
              .map(row -> row.getString("_id"))
              .into(new ArrayList<>());
      assertThat(stored).containsAll(acknowledged);
      assertThat(stored).doesNotContainAnyElementsOf(without);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A call of the store. */
  @FunctionalInterface
  private interface Attempt {
    void run() throws CallFailure;
  }

  /** Null if it succeeds. */
  private static CallFailure failure(Attempt attempt) {
    return catchThrowableOfType(CallFailure.class, attempt::run);
  }
}
