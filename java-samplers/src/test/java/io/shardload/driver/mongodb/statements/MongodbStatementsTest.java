package io.shardload.driver.mongodb.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.Recorded;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.parameters.Table;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ten transactions as they go over the wire, and as a MongoDB 4.0.3 with two shards answered:
 * filters, limits, times and concerns are in the recorded requests.
 */
class MongodbStatementsTest {
  private static final String DATABASE = "shardload_test_statements";
  private static final UUID ID = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");
  private static final Session SESSION = new Session("test", 2, Duration.ofMillis(9876));
  private static final Map<String, Object> DOCUMENT = document();

  private FakeRouter router;
  private Connections connections;

  private static Map<String, Object> document() {
    Map<String, Object> values = new HashMap<>();
    values.put("data_table._id", "f1");
    values.put("data_table.id", ID);
    for (int i : List.of(1, 2, 4, 5)) {
      values.put("data_table.filter" + i, "f" + i);
    }
    values.put("data_table.filter3", 3L);
    values.put("data_table.document", "text");
    values.put("data_table.edition", 0);
    return values;
  }

  @BeforeEach
  void start(TestInfo test) throws CallFailure {
    router = Recorded.exchange("statements/" + Recorded.name(test));
    assertThat(calls("").changed("insert", 0, 0, DOCUMENT)).isEqualTo(1);
  }

  private DocumentStoreCalls calls(String options) {
    if (connections != null) {
      connections.close();
    }
    String all = "'topology': 'sharded'" + options;
    connections = TestConnections.open(router.url(DATABASE), all, SESSION);
    return new DocumentStoreCalls(
        DocumentStoreData.CALLS.folder("mongodb"),
        new MongodbStatementStore(connections, new ServerKind(Product.ROUTER, "4.0.3")));
  }

  @AfterEach
  void nothingElseCame() {
    connections.recordClient().getDatabase(DATABASE).drop();
    connections.close();
    router.assertDone();
    router.close();
  }

  /** Unless the target says otherwise, the wait for other members ends with the statement. */
  @Test
  void findsAndWrites() throws CallFailure {
    DocumentStoreCalls calls = calls("");
    find(calls, "filter1", Map.of());
    find(calls, "filter2", Map.of());
    find(calls, "filter2-list", Map.of("data_table.filter2", "a", "other_filter2", "f2"));
    find(calls, "filter3-lte", Map.of("data_table.filter3", 9L));
    find(calls, "filter4-list", Map.of("other_filter4", "b"));
    find(
        calls,
        "filter4-and-filter5-list",
        Map.of("data_table.filter5", "a", "other_filter5", "f5"));
    find(calls, "filter5", Map.of());
    write(calls);
  }

  /** Finds the document, of which each find is given what it compares. */
  private static void find(DocumentStoreCalls calls, String by, Map<String, Object> others)
      throws CallFailure {
    Map<String, Object> values = new HashMap<>(DOCUMENT);
    values.putAll(others);
    assertThat(calls.find("find-by-id-and-" + by, 0, values)).containsExactly(read());
  }

  /** The document as it is read: integers of any width are longs. */
  private static Map<String, Object> read() {
    Map<String, Object> read = new HashMap<>();
    DOCUMENT.forEach((name, value) -> read.put(name.replace("data_table.", ""), value));
    read.put("edition", 0L);
    return read;
  }

  private static void write(DocumentStoreCalls calls) throws CallFailure {
    Map<String, Object> change = new HashMap<>(DOCUMENT);
    for (int i : List.of(2, 4, 5)) {
      change.put("data_table.filter" + i, "g" + i);
    }
    change.put("data_table.filter3", 4L);
    change.put("data_table.before", 0);
    change.put("data_table.edition", 1);
    assertThat(calls.changed("update", 0, 1, change)).isEqualTo(1);
    assertThat(calls.changed("delete", 0, 0, DOCUMENT)).isEqualTo(1);
    assertThat(calls.changed("delete", 0, 0, DOCUMENT)).isZero();
  }

  @Test
  void readsGoWhereTheTargetSays() throws CallFailure {
    find(
        calls(", 'read-preference': 'nearest', 'read-concern': 'majority', 'batch-size': 50"),
        "filter5",
        Map.of());
  }

  @Test
  void writesHaveTheirConcern() throws CallFailure {
    write(calls(", 'write-concern': '1', 'write-concern-timeout': '7s'"));
  }

  /** A majority may not have it yet, and would hide it as if it were lost. */
  @ParameterizedTest
  @ValueSource(strings = {"majority", "1", "2"})
  void verificationReadsWhatWasAcknowledged(String acknowledged) throws CallFailure {
    DocumentStoreCalls calls = calls(", 'write-concern': '" + acknowledged + "'");
    MongodbStatementAdmin admin =
        new MongodbStatementAdmin(
            connections, ServerKind.ask(connections.recordClient()), TestSchema.options("{}"));
    Table table = DocumentStoreFolder.entity(calls.model()).table();
    Commands.Told told = new Commands.Told();
    admin.read(table, "filter1", null, told);
    assertThat(told.values)
        .containsExactlyElementsOf(table.columns().stream().map(read()::get).toList());
    assertThat(admin.count("data_table")).isEqualTo(1);
  }
}
