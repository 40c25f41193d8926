package io.shardload.driver.postgresql.client.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Find;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A coordinator reports a worker's loss as an ERROR of class 08, and its own session lives on: the
 * pool keeps the connection. A trigger reports it here.
 *
 * <p>Mutations that turned it red: no override of HikariCP's decision; an override that never
 * evicts.
 */
class EvictionTest {
  private static final UUID ID = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final String SERVERS =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'shardload-test'"
          + " AND query LIKE '%data_table%' ORDER BY pid";
  private static final String MESSAGE =
      "connection to the remote node shardload@127.0.0.1:25434 failed with the following error:"
          + " Connection refused";

  private static Document document(String filter2) {
    return new Document(ID, "k", filter2, 1, "a", "a", "text", 0);
  }

  @ParameterizedTest
  @CsvSource({"08006, node-lost", "08003, node-lost", "57P01, node-lost", "0A000, sqlstate-0A000"})
  void anErrorThatTheServerReportedOfANodeKeepsTheConnection(String state, String kind)
      throws Exception {
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}", new Session("test", 1, Duration.ofSeconds(5)))) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      database.execute(
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF NEW.filter2 <>"
              + " 'a' THEN RAISE EXCEPTION '%s' USING ERRCODE = NEW.filter2; END IF; RETURN NEW;"
                  .formatted(MESSAGE)
              + " END$$");
      database.execute(
          "CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION"
              + " refuse()");
      DocumentStore store = target.port(DocumentStore.class);
      store.find(Find.BY_ID_AND_FILTER1.of(ID, "k"), Phases.NONE);
      List<String> before = database.ask(SERVERS);

      for (int i = 0; i < 20; i++) {
        CallFailure failure =
            catchThrowableOfType(
                CallFailure.class, () -> store.insert(document(state), Phases.NONE));
        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure).hasMessage("ERROR: " + MESSAGE);
      }
      store.insert(document("a"), Phases.NONE);

      assertThat(before).hasSize(1);
      assertThat(database.ask(SERVERS)).isEqualTo(before);
      assertThat(target.connectionsByHost().values()).containsExactly(1L);
    }
  }

  @Test
  void aSessionThatTheServerEndedIsReplaced() throws Exception {
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}", new Session("test", 1, Duration.ofSeconds(5)))) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      DocumentStore store = target.port(DocumentStore.class);
      store.find(Find.BY_ID_AND_FILTER1.of(ID, "k"), Phases.NONE);
      String before = database.ask(SERVERS).get(0);

      database.execute("SELECT pg_terminate_backend(%s, 5000)".formatted(before));
      CallFailure failure =
          catchThrowableOfType(
              CallFailure.class, () -> store.find(Find.BY_ID_AND_FILTER1.of(ID, "k"), Phases.NONE));

      assertThat(failure.kind()).isEqualTo("connection-lost");
      store.find(Find.BY_ID_AND_FILTER1.of(ID, "k"), Phases.NONE);
      assertThat(database.ask(SERVERS)).hasSize(1).doesNotContain(before);
      assertThat(target.connectionsByHost().values()).containsExactly(2L);
    }
  }
}
