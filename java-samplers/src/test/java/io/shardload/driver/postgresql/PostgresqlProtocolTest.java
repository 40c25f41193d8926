package io.shardload.driver.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.StatementStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What goes over the wire, counted by a proxy that reads the client's messages.
 *
 * <p>Mutations that turned it red: {@code preferQueryMode} not set for simple; pgjdbc's default
 * prepare threshold of 5; HikariCP's default for idle connections.
 */
class PostgresqlProtocolTest {
  private static final UUID ID = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final int CALLS = 10;

  private final Database database = TestDatabases.fresh();
  private final StatementsModel model = DocumentStoreData.CALLS.folder("postgresql");

  @TempDir private Path directory;

  @BeforeEach
  void twelveRows() throws Exception {
    try (Target target = database.open("{}")) {
      DocumentStoreCalls.made(model, target);
    }
    database.execute(
        "INSERT INTO data_table SELECT '"
            + ID
            + "', 'k' || n, 'x', n, 'p', 'u', 't', 0 FROM generate_series(1, 12) n");
  }

  /**
   * Message types that ten finds of twelve rows send after the first one, with the proxy between.
   */
  private Map<Character, Integer> messagesOfTenFinds(String options) throws Exception {
    try (CountingProxy proxy = new CountingProxy(database.server().port())) {
      TargetConfig config = proxy.config(database, options, "{}");
      Session session = new Session("test", 1, Duration.ofSeconds(5));
      try (Target target = TestDatabases.driver("postgresql").open(config, session)) {
        DocumentStoreCalls calls = new DocumentStoreCalls(model, target.port(StatementStore.class));
        // The first call of all asks the server for the types of its columns.
        findTwelve(calls);
        proxy.counts.clear();
        for (int i = 0; i < CALLS; i++) {
          findTwelve(calls);
        }
        return Map.copyOf(proxy.counts);
      }
    }
  }

  private static void findTwelve(DocumentStoreCalls calls) throws CallFailure {
    Map<String, Object> searched = Map.of("data_table.id", ID, "data_table.filter5", "u");
    assertThat(calls.find("find-by-id-and-filter5", 0, searched)).hasSize(12);
  }

  @Test
  void simpleSendsOneQueryMessageAndNothingElse() throws Exception {
    assertThat(messagesOfTenFinds("{'statements': 'simple', 'ssl': 'disable'}"))
        .isEqualTo(Map.of('Q', CALLS));
  }

  @Test
  void preparedIsParsedAtItsFirstUseOnly() throws Exception {
    Map<Character, Integer> messages = messagesOfTenFinds("{'ssl': 'disable'}");
    assertThat(messages).doesNotContainKeys('P', 'Q').containsEntry('B', CALLS);
    assertThat(messages).containsEntry('E', CALLS).containsEntry('S', CALLS);
  }

  @Test
  void aFetchSizeTakesTheRowsInPortionsInsideATransaction() throws Exception {
    Map<Character, Integer> messages = messagesOfTenFinds("{'ssl': 'disable', 'fetch-size': '5'}");
    // BEGIN and three portions of rows per find; pgjdbc sends COMMIT as a Query message.
    assertThat(messages).containsEntry('E', 4 * CALLS).containsEntry('Q', CALLS);
  }

  /** pgjdbc would name the application in a statement after the login. */
  @Test
  void aConnectionForEachTransactionSendsNothingBetweenLoginAndCall() throws Exception {
    Map<Character, Integer> messages =
        messagesOfTenFinds("{'ssl': 'disable', 'connections': 'per-transaction'}");
    assertThat(messages).doesNotContainKey('Q').containsEntry('E', CALLS).containsEntry('S', CALLS);
  }

  /** What a run has sent when its last call is over, and how many calls it made. */
  private record Sent(Map<Character, Integer> messages, int calls) {}

  private Sent run(double thinkSeconds, int seconds) throws Exception {
    Database own = TestDatabases.fresh();
    Path bundle = directory.resolve("think-" + thinkSeconds);
    Map<Character, Integer> messages = new TreeMap<>();
    try (CountingProxy proxy = new CountingProxy(own.server().port())) {
      TargetConfig config = proxy.config(own, "{'ssl': 'disable'}", "{}");
      ShortRun run = ShortRun.thinking(config, thinkSeconds, seconds, bundle);
      run.run(false, target -> messages.putAll(proxy.counts));
      return new Sent(messages, (int) run.counted("started"));
    }
  }

  /**
   * Schema, load and login are the same in both runs, so what one run sent more are its calls: for
   * each a Bind, an Execute and a Sync. A pool that checks an idle connection sends an empty query
   * before the call. A Close costs nothing: it travels with the next message, after a garbage
   * collection.
   */
  @Test
  void aCallAfterAPauseSendsTheMessagesOfACallWithoutOne() throws Exception {
    Sent steady = run(0, 1);
    Sent pausing = run(1, 4);
    assertThat(pausing.calls()).isGreaterThan(1);
    Map<Character, Integer> more = new TreeMap<>(steady.messages());
    pausing.messages().forEach((type, count) -> more.merge(type, -count, Integer::sum));
    more.remove('C');
    more.values().removeIf(count -> count == 0);
    int calls = steady.calls() - pausing.calls();
    assertThat(more).isEqualTo(Map.of('B', calls, 'E', calls, 'S', calls));
  }
}
