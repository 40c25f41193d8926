package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.verify.GoldenData;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.StatementsModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real PostgreSQL that tells, that refuses, and that is stuck. */
class EvidenceFileTest {
  private static final List<String> ALL = DocumentStoreData.TRANSACTIONS;

  @TempDir Path bundle;
  private final Database database = TestDatabases.fresh();
  private final StatementsModel model =
      GoldenData.model(1, "{'documents': 100, 'document-size': '64B'}");

  /** Nanoseconds that pass with every look at the clock. */
  private long step;

  private final AtomicLong now = new AtomicLong();

  @Test
  void plansAndStorageBeforeAndAfterAreKept() throws CallFailure, IOException {
    try (Target target = opened(Duration.ofSeconds(5))) {
      EvidenceFile file = file(target);
      file.begin(ALL);
      assertThat(read().getAsJsonObject("plans").keySet()).containsExactlyElementsOf(ALL);
      assertThat(read().getAsJsonObject("storage").keySet()).containsExactly("before");
      file.end();
      assertThat(read().getAsJsonObject("storage").keySet()).containsExactly("before", "after");
      assertThat(read().get("documents").getAsLong()).isEqualTo(100);
    }
  }

  /** Whoever may not look at the table gets no plan of it either. */
  @Test
  void aServerThatRefusesToExplainIsNotedWithItsReason() throws CallFailure, IOException {
    try (Target target = opened(Duration.ofSeconds(5))) {
      database.execute("ALTER TABLE data_table RENAME TO elsewhere");
      EvidenceFile file = file(target);
      file.begin(ALL);
      file.end();
    }
    for (String name : ALL) {
      assertThat(plan(name, "access")).isEqualTo("unknown");
      assertThat(plan(name, "text")).contains("relation \"data_table\" does not exist");
    }
  }

  /** Every EXPLAIN waits for the lock of another session, until the statement timeout. */
  @Test
  void aServerThatIsStuckIsAskedOnceAndNoMore() throws CallFailure, IOException, SQLException {
    step = Duration.ofSeconds(3).toNanos();
    try (Target target = opened(Duration.ofSeconds(1));
        Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE data_table IN ACCESS EXCLUSIVE MODE");
      file(target).begin(ALL);
    }
    assertThat(plan(ALL.get(0), "text")).contains("statement timeout");
    for (String name : ALL.subList(1, ALL.size())) {
      assertThat(plan(name, "access")).isEqualTo("unknown");
      assertThat(plan(name, "text"))
          .startsWith("not asked: earlier questions took the server over 5 s");
    }
    assertThat(read().getAsJsonObject("storage").getAsJsonObject("before").toString())
        .contains("not asked");
  }

  @Test
  void aServerThatIsGoneIsNotedAndAfterTheRunToo() throws CallFailure, IOException {
    try (Target target = opened(Duration.ofSeconds(5))) {
      EvidenceFile file = file(target);
      file.begin(ALL);
      new Database(database.server(), "postgres")
          .execute("ALTER DATABASE " + database.name() + " ALLOW_CONNECTIONS false");
      file.end();
    }
    assertThat(read().getAsJsonObject("storage").getAsJsonObject("after").toString())
        .contains("not currently accepting connections");
  }

  @Test
  void aFileThatCannotBeReadOrWrittenBreaksNothing() throws CallFailure, IOException {
    try (Target target = opened(Duration.ofSeconds(5))) {
      Files.writeString(bundle.resolve("evidence.json"), "{\"documents\": 1");
      file(target).end();
      assertThat(bundle.resolve("evidence.json")).hasContent("{\"documents\": 1");
      new EvidenceFile(bundle.resolve("missing"), model, target, now::get).begin(ALL);
      assertThat(bundle.resolve("missing")).doesNotExist();
    }
  }

  @Test
  void aDriverThatTellsNothingLeavesNoFile() {
    JsonObject nothing = new JsonObject();
    TargetConfig noop = new TargetConfig("noop", "noop", "", "", "", "", nothing, nothing, "");
    Session session = new Session("test", 2, Duration.ofSeconds(5));
    file(TestDatabases.driver("noop").open(noop, session)).begin(ALL);
    assertThat(bundle.resolve("evidence.json")).doesNotExist();
  }

  private Target opened(Duration statementTimeout) throws CallFailure {
    Target target = database.open("{}", new Session("test", 2, statementTimeout));
    model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    return target;
  }

  private EvidenceFile file(Target target) {
    return new EvidenceFile(bundle, model, target, () -> now.getAndAdd(step));
  }

  private JsonObject read() throws IOException {
    return BundleFixture.read(bundle.resolve("evidence.json"));
  }

  private String plan(String transaction, String key) throws IOException {
    return read().getAsJsonObject("plans").getAsJsonObject(transaction).get(key).getAsString();
  }
}
