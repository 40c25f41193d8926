package io.shardload.verify;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.VerificationMode;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Part;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementAdmin.TablePart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading in parallel finds what reading in turn finds, and reads every row once. */
class ReadingThreadsTest {
  private static final StatementsModel MODEL =
      GoldenData.model(1, "{'documents': 20000, 'tenants': 10, 'document-size': '40B'}");

  private final Database database = TestDatabases.fresh();
  @AutoClose private Target target;

  @BeforeEach
  void load(@TempDir Path temporary) throws CallFailure {
    target = database.open("{}");
    DataSet.open(target, "document-store", MODEL, false).load(done -> {});
  }

  private List<TablePart> parts() throws CallFailure {
    return target.port(StatementAdmin.class).parts(DocumentStoreFolder.rows(MODEL), "filter1", 4);
  }

  /** Keeps filter1 of each row. */
  private record Keys(List<String> filter1) implements Answers {
    @Override
    public void begin() {}

    @Override
    public void row(int statement, List<?> values, Equality equality) {
      filter1.add((String) values.get(1));
    }

    @Override
    public void ended(int statement, long rows) {}
  }

  @Test
  void everyRowIsInOnePart() throws CallFailure {
    List<TablePart> parts = parts();
    assertThat(parts).as("of at least 64 blocks").hasSizeBetween(4, 32);
    // After the cut: behind the last block, and moved by an update.
    database.execute("UPDATE data_table SET created = created");

    List<String> read = new ArrayList<>();
    for (TablePart part : parts) {
      part.read(new Keys(read));
    }

    Set<String> distinct = new HashSet<>(read);
    assertThat(distinct).hasSize(20_000);
    assertThat(read).hasSize(20_000);
  }

  @Test
  void aSmallTableIsOnePart() throws CallFailure {
    database.execute("TRUNCATE data_table");

    assertThat(parts()).hasSize(1);
  }

  @Test
  void whateverIsWrongInAnyPartIsFound(@TempDir Path temporary) throws Exception {
    assertThat(MODEL.parts(target, 4).size()).isGreaterThan(3);
    GoldenData.execute(
        database,
        "DELETE FROM data_table WHERE ctid = (SELECT min(ctid) FROM data_table)",
        "UPDATE data_table SET document = 'x' WHERE ctid = (SELECT max(ctid) FROM data_table)",
        "INSERT INTO data_table (id, filter1) VALUES (gen_random_uuid(), 'stranger')",
        "INSERT INTO data_table (id, filter1, filter2, filter3, filter4, filter5, document,"
            + " edition) SELECT gen_random_uuid(), filter1, filter2, filter3, filter4, filter5,"
            + " document, edition FROM data_table WHERE ctid = '(100,1)'");

    Verification result =
        GoldenData.verify(target, MODEL, Files.createDirectories(temporary.resolve("no-run")));

    assertThat(result.walked()).isEqualTo(20_001);
    assertThat(result.expected()).isEqualTo(20_000);
    assertThat(result.counts())
        .containsEntry(Finding.Kind.LOST, 1L)
        .containsEntry(Finding.Kind.FOREIGN, 1L)
        .containsEntry(Finding.Kind.DOUBLED, 1L)
        .containsEntry(Finding.Kind.CORRUPTED, 2L);
  }

  @Test
  void progressIsOfTheDocumentsThatHaveToBeThere(@TempDir Path temporary) throws Exception {
    Queue<String> steps = new ConcurrentLinkedQueue<>();

    new Verifier(target, "document-store", MODEL)
        .verify(
            Files.createDirectories(temporary.resolve("no-run")),
            VerificationMode.ALL,
            "shardload-nobody",
            Duration.ofMinutes(1),
            (what, done, total, unit) -> steps.add(what + " " + done + "/" + total + " " + unit));

    assertThat(steps)
        .contains("verify 5000/20000 documents", "verify 15000/20000 documents")
        .endsWith("verify 20000/20000 documents");
  }

  @Test
  void theFirstFailureEndsTheOthers() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    AtomicLong rows = new AtomicLong();
    Part failing =
        visitor -> {
          failed.countDown();
          throw new CallFailure("gone", false, false, "the server is gone");
        };
    Part endless =
        visitor -> {
          await(failed);
          while (true) {
            visitor.row(rows.incrementAndGet(), 0, null);
          }
        };

    CallFailure failure =
        failureOf(() -> ReadingThreads.read(List.of(endless, failing), 2, new Nobody()));

    assertThat(failure.kind()).isEqualTo("gone");
  }

  /** Mutation: let them read on. */
  @Test
  void afterAFailureNobodyReadsOn() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Part failing =
        visitor -> {
          await(reading);
          throw new CallFailure("gone", false, false, "the server is gone");
        };
    Part endless =
        visitor -> {
          try {
            while (true) {
              visitor.row(0, 0, null);
              reading.countDown();
            }
          } finally {
            ended.countDown();
          }
        };

    CallFailure failure =
        failureOf(() -> ReadingThreads.read(List.of(endless, failing), 2, new Nobody()));

    assertThat(failure.kind()).isEqualTo("gone");
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void ofManyThreadsOneAddsAnOrdinalAndSharesAreDisjoint() throws Exception {
    OrdinalSet set = new OrdinalSet(3_000_000);
    AtomicLong added = new AtomicLong();
    Part all =
        visitor -> {
          for (long ordinal = 0; ordinal < 3_000_000; ordinal += 7) {
            added.addAndGet(set.add(ordinal) ? 1 : 0);
          }
        };
    ReadingThreads.read(List.of(all, all, all, all), 4, new Nobody());

    assertThat(added).hasValue(428_572);
    assertThat(set.size()).isEqualTo(428_572);
    assertThat(set.contains(7)).isTrue();
    assertThat(set.contains(8)).isFalse();
    Set<Long> shared = new HashSet<>();
    for (int share = 0; share < 3; share++) {
      for (PrimitiveIterator.OfLong it = set.share(share, 3); it.hasNext(); ) {
        assertThat(shared.add(it.nextLong())).isTrue();
      }
    }
    assertThat(shared).hasSize(428_572).contains(0L, 7L, 2_999_997L - 2_999_997L % 7);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Nobody implements RowVisitor {
    @Override
    public void row(long ordinal, long edition, String defect) {}

    @Override
    public void foreign(String description) {}
  }
}
