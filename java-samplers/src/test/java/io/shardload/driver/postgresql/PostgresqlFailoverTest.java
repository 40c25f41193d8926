package io.shardload.driver.postgresql;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.StatementStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of a primary and its standby is asked what, before and after a failover. */
@Timeout(180)
class PostgresqlFailoverTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));

  @TempDir private static Path shared;
  @AutoClose private static FailoverPair pair;

  @BeforeAll
  static void start() throws Exception {
    pair = FailoverPair.start(shared);
  }

  private static Target open(Database database, String options) {
    return new PostgresqlDriver().open(pair.config(database, options), SESSION);
  }

  private static void insertUntilDone(DocumentStoreCalls calls, int number) throws CallFailure {
    for (int attempt = 1; ; attempt++) {
      try {
        calls.insert(number);
        return;
      } catch (CallFailure e) {
        assertThat(attempt).as(e.getMessage()).isLessThan(20);
      }
    }
  }

  /** The URL names the first host first all the time. Mutation: any server for any connection. */
  @Test
  void whatWritesOrJudgesGoesToThePrimaryWhereverThatIs() throws Exception {
    Database database = pair.database();
    String there = "SELECT count(*) FROM data_table";
    StatementsModel model = DocumentStoreData.CALLS.folder("postgresql");
    try (Target target = open(database, "{}")) {
      DocumentStoreCalls calls = DocumentStoreCalls.made(model, target);
      calls.insert(1);
      pair.awaitCaughtUp();

      pair.failOver();
      insertUntilDone(calls, 2);
      assertThat(pair.onPrimary(database).ask(there)).containsExactly("2");

      pair.rejoin();
      pair.cutStandbyOff();
      insertUntilDone(calls, 3);
      assertThat(pair.onStandby(database).ask(there)).containsExactly("2");
      assertThat(model.count(target)).isEqualTo(3);
    }
    // Opened anew: the host that the URL names first is a standby by now, and lags behind.
    try (Target target = open(database, "{}")) {
      assertThat(model.count(target)).isEqualTo(3);
      new DocumentStoreCalls(model, target.port(StatementStore.class)).insert(4);
      assertThat(pair.onPrimary(database).ask(there)).containsExactly("4");
    } finally {
      pair.rejoin();
    }
  }

  /** The standby has each write before it is acknowledged, so none is lost. */
  @Test
  void aRunGoesOnOnTheNewPrimary(@TempDir Path directory) throws Exception {
    Database database = pair.database();
    pair.acknowledgeLate();
    ShortRun run =
        new ShortRun(pair.config(database, "{}"), 300, "200B", directory.resolve("run"), 120);
    String updated = "SELECT count(*) > 10 FROM data_table WHERE edition > 0";

    Verification result =
        run.runUntilEndOf(
            () -> {
              FailoverPair.await(database, updated, "t");
              pair.failOver();
              Database now = pair.onPrimary(database);
              String promoted = now.ask("SELECT now()").get(0);
              FailoverPair.await(now, updated + " AND updated > '%s'".formatted(promoted), "t");
            });

    assertThat(result.verdict()).as("%s %s", result.reason(), result.findings()).isEqualTo("clean");
    assertThat(result.caveat())
        .isEqualTo(
            "the clients connected to 127.0.0.1:%d could not be listed"
                .formatted(pair.standby().port()));
    assertThat(pair.onPrimary(database).ask("SELECT count(*) FROM data_table"))
        .containsExactly("" + result.walked());
    assertThat(pair.onPrimary(database).ask("SELECT dirty_run, generation FROM shardload_header"))
        .containsExactly(" 1");
    pair.rejoin();
  }

  /** Mutation: only the first host that answers is asked. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void quietMeansOnEveryHost(boolean onPrimary) throws Exception {
    Database database = pair.database();
    Database host = onPrimary ? pair.onPrimary(database) : pair.onStandby(database);
    try (Target target =
        new PostgresqlDriver().open(pair.config(database, "{}"), SESSION.asController())) {
      try (Connection generator = host.connect()) {
        generator.setClientInfo("ApplicationName", SESSION.applicationName());
        assertThat(target.awaitDisconnected(SESSION.applicationName(), Duration.ofMillis(200)))
            .isFalse();
        assertThat(target.otherRun("")).contains("test");

        target.endIdleConnections(SESSION.applicationName());
        assertThat(target.awaitDisconnected(SESSION.applicationName(), Duration.ofMinutes(1)))
            .isTrue();
      }
      assertThat(target.quiescenceCaveat()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "standby only, 127.0.0.1:STANDBY",
    "with one that is down, '127.0.0.1:1,127.0.0.1:STANDBY'"
  })
  void aStandbyWithoutItsPrimaryIsRefused(String which, String hosts) {
    Database database = pair.database();
    String named = hosts.replace("STANDBY", "" + pair.standby().port());
    ConfigException e =
        refusalOf(() -> new PostgresqlDriver().open(pair.config(database, "{}", named), SESSION));
    assertThat(e.key()).as(which).isEqualTo("target.url");
    assertThat(e)
        .hasMessage(
            "names no primary that answers: 127.0.0.1:%d is a standby, which accepts no writes and may lag behind"
                .formatted(pair.standby().port()));
  }
}
