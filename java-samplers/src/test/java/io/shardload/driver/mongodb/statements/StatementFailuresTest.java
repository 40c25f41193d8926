package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static io.shardload.driver.mongodb.statements.Commands.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import io.shardload.driver.Session;
import io.shardload.driver.SwallowingProxy;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What replies exclude, and what they leave open. The forms of the replies are those of the manual,
 * {@code reference/command/update}, {@code insert} and {@code findAndModify}; codes and names are
 * those of MongoDB's {@code src/mongo/base/error_codes.yml}.
 */
class StatementFailuresTest {
  private static final String ONE =
      "{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'n': 1}}}]}";
  private static final String MANY =
      "{'update': 'a', 'updates': [{'q': {'c': 1}, 'u': {'$set': {'n': 1}}, 'multi': true}]}";
  private static final String TWO = "{'insert': 'a', 'documents': [{'_id': 1}, {'_id': 2}]}";
  private static final String MODIFY =
      "{'findAndModify': 'a', 'query': {'_id': 1}, 'update': {'$set': {'n': 1}}}";
  private static final String FIND = "{'find': 'a'}";
  private static final Map<String, String> COMMANDS =
      Map.of("ONE", ONE, "MANY", MANY, "TWO", TWO, "MODIFY", MODIFY, "FIND", FIND);

  private static CallFailure failure(String answer, String command) {
    FakeRouter router = FakeRouter.router("8.0.4", ignored -> answer);
    Plan plan = plan(Isolation.NONE, List.of(), command);
    try (FakeSession session = FakeSession.on(router, "")) {
      return failureOf(() -> run(session.store(), plan));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "ONE; {ok: 1, n: 0, nModified: 0, writeErrors: [{index: 0, code: 121, errmsg: 'no'}]};"
            + " constraint-violation; true",
        // Documents before the one that was refused are changed.
        "MANY; {ok: 1, n: 0, nModified: 0, writeErrors: [{index: 0, code: 121, errmsg: 'no'}]};"
            + " constraint-violation; false",
        "MANY; {ok: 1, n: 0, nModified: 0, writeErrors: [{index: 0, code: 9, errmsg: 'no'}]};"
            + " code-9; true",
        "MANY; {ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'no'}; not-allowed; true",
        "MANY; {ok: 0, code: 112, codeName: 'WriteConflict', errmsg: 'no'};"
            + " serialization-failure; false",
        "TWO; {ok: 1, n: 1, writeErrors: [{index: 1, code: 11000, errmsg: 'dup'}]};"
            + " duplicate-key; false",
        // A write concern that fails: the write stands, and may be rolled back.
        "ONE; {ok: 1, n: 1, nModified: 1, writeConcernError: {code: 64, errmsg: 'late'}};"
            + " write-concern; false",
        "MODIFY; {ok: 1, value: {_id: 1}, lastErrorObject: {n: 1, updatedExisting: true},"
            + " writeConcernError: {code: 64, errmsg: 'late'}}; write-concern; false",
        "MODIFY; {ok: 0, code: 11000, codeName: 'DuplicateKey', errmsg: 'dup'};"
            + " duplicate-key; true",
        "ONE; {ok: 0, code: 189, codeName: 'PrimarySteppedDown', errmsg: 'no'};"
            + " not-primary; false",
        // A read has no effect, however it ends.
        "FIND; {ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'late'}; timeout; true"
      })
  void whatAReplyExcludes(String name, String answer, String kind, boolean excluded) {
    CallFailure failure = failure(answer, COMMANDS.get(name));
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.effectExcluded()).isEqualTo(excluded);
  }

  /** What the last answer excludes, the first attempt may have done. */
  @Test
  void aRetriedWriteThatIsRefusedAtLastIsUnknown() {
    AtomicInteger attempts = new AtomicInteger();
    FakeRouter router =
        FakeRouter.router(
            "8.0.4",
            command -> {
              attempts.incrementAndGet();
              return "{ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'no',"
                  + " errorLabels: ['RetryableWriteError']}";
            });
    try (FakeSession session = FakeSession.on(router, ", 'retry-writes': true")) {
      CallFailure failure = failureOf(() -> Commands.rows(session.store(), ONE));
      assertThat(failure.kind()).isEqualTo("not-primary");
      assertThat(failure.effectExcluded()).isFalse();
      assertThat(attempts).hasValue(2);
    }
  }

  /** No match is no failure; an upsert that inserts is a row. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{ok: 1, n: 0, nModified: 0}; 0",
        "{ok: 1, n: 1, upserted: [{index: 0, _id: 1}]}; 1"
      })
  void theRowsOfAnUpdate(String answer, int rows) throws CallFailure {
    FakeRouter router = FakeRouter.router("8.0.4", ignored -> answer);
    try (FakeSession session = FakeSession.on(router, "")) {
      assertThat(Commands.rows(session.store(), ONE)).isEqualTo("0 ended: " + rows);
    }
  }

  /** The concerns and the read preference of the target hold for each command. */
  @Test
  void theTargetsConcernsAreSent() throws CallFailure {
    FakeRouter router =
        FakeRouter.router("8.0.4")
            .expect(
                "app",
                "{update: 'a', ordered: true, writeConcern: {w: 2, wtimeout: 5000, j: false},"
                    + " updates: [{q: {_id: 1}, u: {$set: {n: 1}}}]}",
                "{ok: 1, n: 1, nModified: 1}")
            .expect(
                "app",
                "{find: 'a', readConcern: {level: 'majority'}, filter: {}, batchSize: 7, maxTimeMS:"
                    + " 5000}",
                FakeRouter.rows())
            .expect(
                "app",
                "{aggregate: 'a', readConcern: {level: 'majority'}, pipeline: [{$match: {}},"
                    + " {$group: {_id: 1, n: {$sum: 1}}}], cursor: {}, maxTimeMS: 5000}",
                FakeRouter.rows("{_id: 1, n: 5}"));
    String options =
        ", 'write-concern': '2', 'journal': false, 'read-concern': 'majority', 'batch-size': 7";
    try (FakeSession session = FakeSession.on(router, options)) {
      for (String command : List.of(ONE, FIND, "{'count': 'a'}")) {
        Commands.rows(session.store(), command);
      }
      router.assertDone();
    }
  }

  /** A real FerretDB writes, and its answer does not arrive. */
  @Test
  void aWriteWithoutAnAnswerIsUnknownAndAReadIsNot() throws IOException {
    TestMongo.Database database = TestMongo.ferretdb();
    int port = serverPort(database);
    for (String word : List.of("\0update\0", "\0find\0")) {
      try (SwallowingProxy proxy = new SwallowingProxy(port, "swallow-me");
          Target target = through(database, proxy.port())) {
        StatementStore store = target.port(StatementStore.class);
        boolean update = word.contains("update");
        Plan plan =
            plan(
                Isolation.NONE,
                List.of("text"),
                update
                    ? "{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'t': {'$param':"
                        + " 'text'}}}, 'upsert': true}]}"
                    : "{'find': 'a', 'filter': {'t': {'$param': 'text'}}}");
        CallFailure failure = failureOf(() -> run(store, plan, "swallow-me"));
        assertThat(failure.kind()).isEqualTo("connection-lost");
        assertThat(failure.effectExcluded()).isEqualTo(!update);
        assertThat(proxy.swallowed()).isTrue();
      }
    }
    Document stored = database.bson().getCollection("a").find().first();
    assertThat(stored).containsEntry("t", "swallow-me");
  }

  private static int serverPort(TestMongo.Database database) {
    String host = new ConnectionString(database.url()).getHosts().get(0);
    return Integer.parseInt(host.substring(host.indexOf(':') + 1));
  }

  private static Target through(TestMongo.Database database, int port) {
    String url = "mongodb://127.0.0.1:" + port + "/";
    return new TestMongo.Database(url, database.client(), database.name())
        .open("{}", new Session("test", 1, Duration.ofSeconds(5)));
  }
}
