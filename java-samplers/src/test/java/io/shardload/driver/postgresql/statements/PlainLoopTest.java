package io.shardload.driver.postgresql.statements;

import static io.shardload.driver.postgresql.statements.SqlPlans.captures;
import static io.shardload.driver.postgresql.statements.SqlPlans.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The plain loop does to a real PostgreSQL what the harness does. */
class PlainLoopTest {
  private static final String VALUES =
      """
      INSERT INTO kinds (i2, i4, i8, n, f4, f8, t, u, tz, ts, d, b, j)
      VALUES (:i, :i, :i, :n, :n, :n, :t, :u, :z, :z, :z, :b, :j) RETURNING *
      """;

  private final Database database = TestDatabases.fresh();
  private Target target;

  private StatementBaseline open(String options) {
    target = database.open(options);
    return target.port(StatementBaseline.class);
  }

  @AfterEach
  void close() {
    target.close();
  }

  @Test
  void everyTypeGoesAndComesBackAsInTheHarness() throws CallFailure {
    database.execute(
        "CREATE TABLE kinds (i2 int2, i4 int4, i8 int8, n numeric, f4 float4, f8 float8, t text,"
            + " u uuid, tz timestamptz, ts timestamp, d date, b boolean, j jsonb)");
    JsonObject json = new JsonObject();
    json.addProperty("a", 1);
    Object[] values = {
      7L,
      new BigDecimal("2.5"),
      "text",
      new UUID(1, 2),
      Instant.ofEpochMilli(1_700_000_000_000L),
      true,
      json
    };
    StatementBaseline plain = open("{}");
    Plan plan = plan(Isolation.NONE, VALUES);
    assertThat(plain.lacks(plan)).isEmpty();
    target.port(StatementStore.class).run(plan, values, Answers.IGNORED, Phases.NONE);
    plain.prepare(plan, values).run();
    assertThat(database.ask("SELECT count(*) FROM kinds GROUP BY kinds.*")).containsExactly("2");
    plain.prepare(plan, new Object[7]).run();
    assertThat(database.ask("SELECT count(*) FROM kinds WHERE kinds IS NULL")).containsExactly("1");
  }

  @Test
  void aTransactionIsOneAndCapturesTravel() throws CallFailure {
    database.execute(
        "CREATE TABLE account (aid int PRIMARY KEY, abalance int);"
            + " CREATE TABLE history (aid int, abalance int, xid bigint, level text);"
            + " INSERT INTO account VALUES (1, 5), (2, 6)");
    Plan plan =
        plan(
            Isolation.REPEATABLE_READ,
            """
            UPDATE account SET abalance = abalance + 10 WHERE aid = :aid;
            SELECT abalance FROM account WHERE aid = :aid;
            INSERT INTO history
            VALUES (:aid, :seen, txid_current(), current_setting('transaction_isolation'))
            """,
            Step.ANY,
            captures("seen", "abalance"),
            Step.ANY);
    StatementBaseline.Call call = open("{}").prepare(plan, new Object[] {2L});
    call.run();
    call.run();
    assertThat(database.ask("SELECT abalance || ' ' || level FROM history ORDER BY abalance"))
        .containsExactly("16 repeatable read", "26 repeatable read");
    assertThat(database.ask("SELECT count(DISTINCT xid) FROM history")).containsExactly("2");
  }

  @Test
  void aWrongNumberOfRowsEndsTheLoopAndAFailureLeavesNothing() throws CallFailure {
    database.execute("CREATE TABLE account (aid int PRIMARY KEY); INSERT INTO account VALUES (1)");
    StatementBaseline plain = open("{'fetch-size': 50}");
    Plan one =
        plan(
            Isolation.NONE,
            "SELECT aid FROM account WHERE aid = :aid",
            new Step(1, 1, Map.of(), Map.of()));
    plain.prepare(one, new Object[] {1L}).run();
    StatementBaseline.Call missing = plain.prepare(one, new Object[] {2L});
    assertThat(catchThrowableOfType(CallFailure.class, missing::run).kind())
        .isEqualTo(Answers.WRONG_ROW);
    Plan twice =
        plan(Isolation.DEFAULT, "INSERT INTO account VALUES (:a); INSERT INTO account VALUES (:a)");
    StatementBaseline.Call failing = plain.prepare(twice, new Object[] {3L});
    assertThat(catchThrowableOfType(CallFailure.class, failing::run).kind())
        .isEqualTo("duplicate-key");
    assertThat(database.ask("SELECT aid FROM account")).isEqualTo(List.of("1"));
  }
}
