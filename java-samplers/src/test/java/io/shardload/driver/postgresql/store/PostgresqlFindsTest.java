package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Marks;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.Find;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every transaction against rows that hand-written SQL put there. Mutations that turned it red:
 * {@code filter3 < ?} for {@code filter3 <= ?}; leaving {@code edition = ?} out of the update.
 */
class PostgresqlFindsTest {
  private static final UUID A = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final UUID B = UUID.fromString("00000000-0000-4000-8000-00000000000b");

  private final Database database = TestDatabases.fresh();
  private final Marks phases = new Marks();
  @AutoClose private Target target;

  private DocumentStore open(String options) throws CallFailure {
    target = database.open(options);
    assertThat(
            target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD))
        .isTrue();
    database.execute(
        "INSERT INTO data_table (id, filter1, filter2, filter3, filter4, filter5, document,"
            + " edition) VALUES"
            + row(A, "k1", "x", 10, "p", "u")
            + row(A, "k2", "x", 20, "q", "u")
            + row(A, "k3", "y", 30, "p", "v")
            + row(A, "k4", "z", 40, "r", "w")
            + row(B, "k5", "x", 10, "p", "u").replaceAll(",$", ""));
    return target.port(DocumentStore.class);
  }

  private static String row(
      UUID id, String filter1, String filter2, long filter3, String filter4, String filter5) {
    return "('%s','%s','%s',%d,'%s','%s','text of %s',0),"
        .formatted(id, filter1, filter2, filter3, filter4, filter5, filter1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'statements': 'simple'}",
        "{'fetch-size': '1'}",
        "{'connections': 'per-transaction'}",
        "{'connections': 'per-transaction', 'statements': 'simple', 'ssl': 'disable'}"
      })
  void everyFindReturnsWhatItsPredicateSays(String options) throws CallFailure {
    DocumentStore store = open(options);

    assertThat(store.find(Find.BY_ID_AND_FILTER1.of(A, "k3"), phases))
        .containsExactly(new Document(A, "k3", "y", 30, "p", "v", "text of k3", 0));
    assertThat(phases.names()).containsExactly("connected", "found");
    assertThat(store.find(Find.BY_ID_AND_FILTER1.of(B, "k3"), phases)).isEmpty();
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER2.of(A, "x"), phases)))
        .hasSize(1)
        .isSubsetOf("k1", "k2");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER2_LIST.of(A, "x", "y"), phases)))
        .containsExactlyInAnyOrder("k1", "k2", "k3");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER3_LTE.of(A, 20L), phases)))
        .containsExactlyInAnyOrder("k1", "k2");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER4_LIST.of(A, "p", "r"), phases)))
        .containsExactlyInAnyOrder("k1", "k3", "k4");
    assertThat(
            keys(store.find(Find.BY_ID_AND_FILTER4_AND_FILTER5_LIST.of(A, "p", "v", "w"), phases)))
        .containsExactly("k3");
    assertThat(keys(store.find(Find.BY_ID_AND_FILTER5.of(A, "u"), phases)))
        .containsExactlyInAnyOrder("k1", "k2");
  }

  @Test
  void theServerCountsEachReadByTheWholeKey() throws CallFailure, InterruptedException {
    DocumentStore store = open("{}");
    long before = pointReads();
    store.find(Find.BY_ID_AND_FILTER1.of(A, "k3"), phases);
    store.find(Find.BY_ID_AND_FILTER1.of(B, "k3"), phases);
    target
        .port(DocumentStoreBaseline.class)
        .plain()
        .find(Find.BY_ID_AND_FILTER1.of(A, "k3"), phases);
    target.close(); // its connections report what they have not yet reported
    target = database.open("{}");
    long counted = 0;
    for (int i = 0; i < 100 && counted < 3; i++) {
      Thread.sleep(50);
      counted = pointReads() - before;
    }
    assertThat(counted).isEqualTo(3);
  }

  private long pointReads() throws CallFailure {
    return target.port(DocumentStoreBaseline.class).pointReads().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void nullIsNoNumber(String options) throws CallFailure {
    DocumentStore store = open(options);
    database.execute(
        "UPDATE data_table SET filter3 = NULL, filter4 = NULL, edition = NULL"
            + " WHERE filter1 = 'k3'");

    assertThat(store.find(Find.BY_ID_AND_FILTER1.of(A, "k3"), phases))
        .containsExactly(new Document(A, "k3", "y", -1, null, "v", "text of k3", -1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}", "{'fetch-size': '1'}"})
  void writesChangeTheirRowOnly(String options) throws CallFailure {
    DocumentStore store = open(options);

    store.insert(new Document(B, "k6", "f2", 1L << 39, "f4", "f5", "it's ? \\ text", 0), phases);
    assertThat(phases.names()).containsExactly("connected", "acknowledged");
    assertThat(store.update(A, "k1", 0, new Change("n2", 11, "n4", "n5", 7), phases)).isEqualTo(1);
    assertThat(store.update(A, "k1", 0, new Change("n2", 11, "n4", "n5", 8), phases)).isZero();
    assertThat(store.update(B, "k1", 7, new Change("n2", 11, "n4", "n5", 8), phases)).isZero();
    assertThat(store.delete(A, "k2", phases)).isEqualTo(1);
    assertThat(store.delete(A, "k2", phases)).isZero();

    assertThat(
            database.ask(
                "SELECT id, filter1, filter2, filter3, filter4, filter5, document, edition,"
                    + " updated > created FROM data_table ORDER BY filter1"))
        .containsExactly(
            A + " k1 n2 11 n4 n5 text of k1 7 t",
            A + " k3 y 30 p v text of k3 0 f",
            A + " k4 z 40 r w text of k4 0 f",
            B + " k5 x 10 p u text of k5 0 f",
            B + " k6 f2 549755813888 f4 f5 it's ? \\ text 0 f");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'fetch-size': '7'}"})
  void listFindsStopAtTheLimit(String options) throws CallFailure {
    DocumentStore store = open(options);
    database.execute(
        "INSERT INTO data_table SELECT '%s', 'm' || n, 'x', n, 'p', 'u', 't', 0 FROM".formatted(A)
            + " generate_series(1, 150) n");

    assertThat(store.find(Find.BY_ID_AND_FILTER5.of(A, "u"), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER3_LTE.of(A, 1000L), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER2_LIST.of(A, "x", "y"), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER4_LIST.of(A, "p", "y"), phases)).hasSize(100);
    assertThat(store.find(Find.BY_ID_AND_FILTER4_AND_FILTER5_LIST.of(A, "p", "u", "y"), phases))
        .hasSize(100);
  }

  private static List<String> keys(List<Document> rows) {
    return rows.stream().map(Document::filter1).toList();
  }
}
