package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.keys.FileJournal;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is killed right after it acknowledged two hundred inserts.
 *
 * <p>Mutation that turned it red: {@code expectation.end()} left out of the verifier.
 */
class DurabilityTest {
  private static final int INSERTS = 200;

  @Test
  void aServerThatAcknowledgesBeforeItWritesIsFoundOut(@TempDir Path temporary) throws Exception {
    PostgresSettings lazy =
        PostgresSettings.durable()
            .with("fsync", "off")
            .with("synchronous_commit", "off")
            // The background writer of the log would save most of them.
            .with("wal_writer_delay", "10s");

    Verification result = insertKillAndVerify(lazy, temporary);

    assertThat(result.verdict()).isEqualTo("wrong");
    assertThat(result.counts().get(Finding.Kind.LOST)).isBetween(1L, (long) INSERTS);
    assertThat(result.wrong()).isEqualTo(result.counts().get(Finding.Kind.LOST));
  }

  @Test
  void aDurableServerLosesNothing(@TempDir Path temporary) throws Exception {
    Verification result = insertKillAndVerify(PostgresSettings.durable(), temporary);

    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.walked()).isEqualTo(4 + INSERTS);
  }

  private static Verification insertKillAndVerify(PostgresSettings settings, Path temporary)
      throws Exception {
    Path bundle = temporary.resolve("run-1");
    try (EmbeddedPostgres server = TestDatabases.server(temporary.resolve("data"), settings)) {
      Database database = TestDatabases.on(server);
      try (Target target = database.open("{}")) {
        GoldenData.begin(target, bundle);
        target.dataSets().raiseHighWater(4 + INSERTS);
        // What came before is not at stake.
        database.execute("CHECKPOINT");
        DocumentStore store = target.port(DocumentStore.class);
        GoldenData.writeBundle(bundle, true, journal -> insertAll(store, journal));
      }
      server.killHard();
      server.restart();
      try (Target target = database.open("{}")) {
        return GoldenData.verify(target, bundle);
      }
    }
  }

  private static void insertAll(DocumentStore store, FileJournal journal) {
    DocumentStoreModel model = (DocumentStoreModel) GoldenData.model();
    for (long ordinal = 4; ordinal < 4 + INSERTS; ordinal++) {
      try {
        store.insert(model.content().at(ordinal, 0), Phases.NONE);
      } catch (CallFailure e) {
        throw new IllegalStateException(e);
      }
      journal.append(ordinal, State.live(0));
    }
  }
}
