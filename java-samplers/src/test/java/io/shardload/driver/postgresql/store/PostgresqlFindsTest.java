package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Marks;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.port.SqlStatement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
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
  private DocumentStoreCalls calls;

  private void open(String options) throws CallFailure {
    target = database.open(options);
    calls = DocumentStoreCalls.made(DocumentStoreData.CALLS.folder("postgresql"), target);
    database.execute(
        "INSERT INTO data_table (id, filter1, filter2, filter3, filter4, filter5, document,"
            + " edition) VALUES"
            + row(A, "k1", "x", 10, "p", "u")
            + row(A, "k2", "x", 20, "q", "u")
            + row(A, "k3", "y", 30, "p", "v")
            + row(A, "k4", "z", 40, "r", "w")
            + row(B, "k5", "x", 10, "p", "u").replaceAll(",$", ""));
  }

  /** Runs a find with these values in the places of its statement. */
  private List<Map<String, Object>> find(String by, Object... values) throws CallFailure {
    String transaction = "find-by-id-and-" + by;
    SqlStatement sql = (SqlStatement) calls.plan(transaction).statements().get(0);
    assertThat(sql.names()).hasSameSizeAs(values);
    Map<String, Object> chosen = new HashMap<>();
    for (int i = 0; i < values.length; i++) {
      chosen.put(sql.names().get(i), values[i]);
    }
    return calls.find(transaction, 0, chosen, phases);
  }

  private static Map<String, Object> document(
      UUID id, String filter1, String filter2, Long filter3, String filter4, Long edition) {
    Map<String, Object> row = new HashMap<>();
    row.put("id", id);
    row.put("filter1", filter1);
    row.put("filter2", filter2);
    row.put("filter3", filter3);
    row.put("filter4", filter4);
    row.put("filter5", "v");
    row.put("document", "text of " + filter1);
    row.put("edition", edition);
    return row;
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
    open(options);

    assertThat(find("filter1", A, "k3")).containsExactly(document(A, "k3", "y", 30L, "p", 0L));
    assertThat(phases.names()).containsExactly("connected", "found");
    assertThat(find("filter1", B, "k3")).isEmpty();
    assertThat(keys(find("filter2", A, "x"))).hasSize(1).isSubsetOf("k1", "k2");
    assertThat(keys(find("filter2-list", A, "x", "y"))).containsExactlyInAnyOrder("k1", "k2", "k3");
    assertThat(keys(find("filter3-lte", A, 20L))).containsExactlyInAnyOrder("k1", "k2");
    assertThat(keys(find("filter4-list", A, "p", "r"))).containsExactlyInAnyOrder("k1", "k3", "k4");
    assertThat(keys(find("filter4-and-filter5-list", A, "p", "v", "w"))).containsExactly("k3");
    assertThat(keys(find("filter5", A, "u"))).containsExactlyInAnyOrder("k1", "k2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}"})
  void nullIsNoNumber(String options) throws CallFailure {
    open(options);
    database.execute(
        "UPDATE data_table SET filter3 = NULL, filter4 = NULL, edition = NULL"
            + " WHERE filter1 = 'k3'");

    assertThat(find("filter1", A, "k3")).containsExactly(document(A, "k3", "y", null, null, null));
  }

  private long change(String transaction, UUID id, String filter1, Map<String, ?> others)
      throws CallFailure {
    Map<String, Object> chosen = new HashMap<>(others);
    chosen.put("data_table.id", id);
    chosen.put("data_table.filter1", filter1);
    return calls.changed(transaction, 0, 0, chosen, phases);
  }

  private long update(UUID id, String filter1, long before, long edition) throws CallFailure {
    return change(
        "update",
        id,
        filter1,
        Map.of(
            "data_table.before",
            before,
            "data_table.edition",
            edition,
            "data_table.filter2",
            "n2",
            "data_table.filter3",
            11L,
            "data_table.filter4",
            "n4",
            "data_table.filter5",
            "n5"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'statements': 'simple'}", "{'fetch-size': '1'}"})
  void writesChangeTheirRowOnly(String options) throws CallFailure {
    open(options);
    Map<String, ?> others =
        Map.of(
            "data_table.filter2", "f2",
            "data_table.filter3", 1L << 39,
            "data_table.filter4", "f4",
            "data_table.filter5", "f5",
            "data_table.document", "it's ? \\ text");

    assertThat(change("insert", B, "k6", others)).isEqualTo(1);
    assertThat(phases.names()).containsExactly("connected", "acknowledged");
    assertThat(update(A, "k1", 0, 7)).isEqualTo(1);
    assertThat(update(A, "k1", 0, 8)).isZero();
    assertThat(update(B, "k1", 7, 8)).isZero();
    assertThat(change("delete", A, "k2", Map.of())).isEqualTo(1);
    assertThat(change("delete", A, "k2", Map.of())).isZero();

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
    open(options);
    database.execute(
        "INSERT INTO data_table SELECT '%s', 'm' || n, 'x', n, 'p', 'u', 't', 0 FROM".formatted(A)
            + " generate_series(1, 150) n");

    assertThat(find("filter5", A, "u")).hasSize(100);
    assertThat(find("filter3-lte", A, 1000L)).hasSize(100);
    assertThat(find("filter2-list", A, "x", "y")).hasSize(100);
    assertThat(find("filter4-list", A, "p", "y")).hasSize(100);
    assertThat(find("filter4-and-filter5-list", A, "p", "u", "y")).hasSize(100);
  }

  private static List<Object> keys(List<Map<String, Object>> rows) {
    return rows.stream().map(row -> row.get("filter1")).toList();
  }
}
