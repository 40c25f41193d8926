package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Outcome;
import io.shardload.workload.statements.calls.Judged;
import io.shardload.workload.statements.parameters.Conversion;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.ValueType;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code equal} where a column rounds, cuts or pads what is stored in it. */
class ColumnEqualityTest {
  private static final Step EQUAL = new Step(1, 1, Map.of("v", "p"), Map.of());

  private final Database database = TestDatabases.fresh();
  @AutoClose private final Target target = database.open("{}");

  private Outcome outcome(String sql, Object argument) {
    Plan plan = SqlPlans.plan(Isolation.NONE, sql, EQUAL);
    return Judged.outcome(target.port(StatementStore.class), plan, argument);
  }

  /** What the server returns of the stored parameter is right; another value is not. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "char(10);          text;      'Oslo';                        'Oslo ';  'Osl'",
        "char(10);          text;      'Oslo   ';                     'Oslo';   'oslo'",
        "varchar(4);        text;      'Oslo  ';                      'Oslo';   'Osl'",
        "text;              text;      'Oslo ';                       'Oslo ';  'Oslo'",
        "date;              timestamp; 2026-01-31T12:34:56Z;          '2026-01-31'; '2026-02-01'",
        "date;              timestamp; 1969-12-31T23:59:59.999Z;      '1969-12-31'; '1970-01-01'",
        "timestamptz(0);    timestamp; 2026-01-31T12:34:56.789Z;      '2026-01-31 12:34:57Z';"
            + " '2026-01-31 12:34:56Z'",
        "timestamptz(0);    timestamp; 2026-01-31T12:34:56.5Z;        '2026-01-31 12:34:57Z';"
            + " '2026-01-31 12:34:56Z'",
        "timestamptz(0);    timestamp; 1999-12-31T23:59:58.5Z;        '1999-12-31 23:59:58Z';"
            + " '1999-12-31 23:59:59Z'",
        "timestamp(3);      timestamp; 2026-01-31T12:34:56.000999Z;   '2026-01-31 12:34:56.001';"
            + " '2026-01-31 12:34:56'",
        "timestamptz;       timestamp; 2026-01-31T12:34:56.000001Z;   '2026-01-31"
            + " 12:34:56.000001Z'; '2026-01-31 12:34:56Z'",
        "timestamp;         timestamp; 2026-01-31T12:34:56.1234567Z;  '2026-01-31 12:34:56.123457';"
            + " '2026-01-31 12:34:56.123456'",
        "numeric(6,1);      decimal;   9.99;                          10.0;     9.9",
        "numeric(6,1);      decimal;   -0.25;                         -0.3;     -0.2",
        "numeric(9,4);      decimal;   2.5;                           2.5000;   2.5001",
        "numeric;           decimal;   9.990;                         9.99;     9.991",
        "numeric(6,1);      integer;   7;                             7.0;      7.1",
        "real;              decimal;   0.123456789;                   0.12345679; 0.1234568",
        "real;              integer;   16777217;                      16777216; 16777218",
        "double precision;  decimal;   0.12345678901234567891;        0.12345678901234568;"
            + " 0.12345678901234566",
        "double precision;  integer;   9007199254740993;              9007199254740992;"
            + " 9007199254740994",
        "int;               decimal;   2.5;                           3;        2",
        "int;               decimal;   -2.5;                          -3;       -2",
        "bigint;            integer;   9007199254740993;              9007199254740993;"
            + " 9007199254740992"
      })
  void aColumnEqualsWhatItKeepsOfAParameter(
      String type, String as, String value, String kept, String other) {
    Object argument = Conversion.read(value, Conversion.type(as)).orElseThrow();
    // An integer column accepts no decimal parameter without a cast.
    String sent = type.equals("int") ? "CAST(:p AS numeric)" : ":p";
    database.execute("CREATE TABLE t (v %s)".formatted(type));
    assertThat(outcome("INSERT INTO t VALUES (%s) RETURNING v".formatted(sent), argument))
        .isEqualTo(new Outcome.Done(1, 1, false));
    assertThat(outcome("SELECT v FROM t", argument)).isEqualTo(Outcome.done(1));
    store(kept);
    assertThat(outcome("SELECT v FROM t", argument)).isEqualTo(Outcome.done(1));
    store(other);
    assertThat(outcome("SELECT v FROM t", argument)).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  private void store(String literal) {
    database.execute("DELETE FROM t; INSERT INTO t VALUES ('%s')".formatted(literal));
  }

  /** Mutation: quotes or backslashes of the server's form are part of the values. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "text[];    [\"go\",\"a b\",\"c,d\",\"e\\\"f\",\"NULL\",\"\",\"\\\\\",\"{\"]; {go}",
        "varchar[]; [\"ä\",null,\"x\"]; {ä,x}",
        "int[];     [1,-2,3]; {1,-2}",
        "numeric[]; [1.50,2]; {1.51,2}",
        "boolean[]; [true,false]; {t,t}",
        "numeric[]; [1,2]; {NaN,2}",
        "text[];    [1,2]; {a,b}",
        "text[];    []; {a}",
        "uuid[];    [\"00000000-0000-4000-8000-00000000000a\"]; {00000000-0000-4000-8000-00000000000b}",
        "jsonb;     [1,\"a\",{\"b\":[null]}]; [1,\"a\"]",
      })
  void aListFillsAnArrayOrJson(String type, String list, String other) throws Exception {
    database.execute("CREATE TABLE t (v %s)".formatted(type));
    JsonElement argument = JsonParser.parseString(list);
    assertThat(problems("INSERT INTO t VALUES (:p) RETURNING v", ValueType.LIST)).isEmpty();
    assertThat(outcome("INSERT INTO t VALUES (:p) RETURNING v", argument))
        .isEqualTo(new Outcome.Done(1, 1, false));
    assertThat(outcome("SELECT v FROM t WHERE v = :p", argument)).isEqualTo(Outcome.done(1));
    store(other);
    assertThat(outcome("SELECT v FROM t", argument)).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  /** A negative scale exists since PostgreSQL 15. */
  @Test
  void aColumnMayRoundBeforeThePoint() {
    database.execute("CREATE TABLE t (v numeric(4,-2)); INSERT INTO t VALUES (1250)");
    assertThat(outcome("SELECT v FROM t", 1250L)).isEqualTo(Outcome.done(1));
    assertThat(outcome("SELECT v FROM t", 1340L)).isEqualTo(Outcome.done(1));
    assertThat(outcome("SELECT v FROM t", 1350L)).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  @Test
  void aPathIntoADocumentMayBePadded() {
    database.execute("CREATE TABLE t (d jsonb); INSERT INTO t VALUES ('{\"city\": \"Oslo\"}')");
    String padded = "SELECT CAST(d->>'city' AS char(10)) AS v FROM t";
    assertThat(outcome(padded, "Oslo")).isEqualTo(Outcome.done(1));
    assertThat(outcome("SELECT d->>'city' AS v FROM t", "Oslo "))
        .isInstanceOf(Outcome.Failed.class);
  }

  /**
   * {@code max} loses the scale of its column: 9.99 is stored as 10.0, and a right row would be a
   * wrong answer of the target.
   */
  @ParameterizedTest
  @CsvSource({
    "'numeric(6,1)', decimal,   'numeric(12, 2)'",
    "timestamptz(0), timestamp, timestamptz(3)",
    "timestamp,      timestamp, timestamp(3)"
  })
  void anExpressionOfUnknownRoundingIsRefused(String column, String parameter, String cast)
      throws Exception {
    ValueType type = Conversion.type(parameter);
    database.execute("CREATE TABLE t (v %s)".formatted(column));
    assertThat(problems("SELECT max(v) AS v FROM t", type))
        .singleElement()
        .asString()
        .endsWith("return CAST(... AS " + cast + ") AS v to compare it with parameter p");
    database.execute("CREATE VIEW highest AS SELECT max(v) AS v FROM t");
    assertThat(problems("SELECT v FROM highest", type)).hasSize(1);
    assertThat(problems("SELECT CAST(v AS " + cast + ") AS v FROM highest", type)).isEmpty();
    assertThat(problems("SELECT CAST(max(v) AS " + cast + ") AS v FROM t", type)).isEmpty();
    assertThat(problems("SELECT v FROM t", type)).isEmpty();
  }

  private List<String> problems(String sql) throws Exception {
    return problems(sql, ValueType.TEXT);
  }

  private List<String> problems(String sql, ValueType type) throws Exception {
    return target
        .port(StatementAdmin.class)
        .check(
            List.of(),
            List.of(),
            List.of(SqlPlans.plan(Isolation.NONE, sql, EQUAL)),
            Map.of("p", type),
            List.of())
        .stream()
        .map(Problem::text)
        .toList();
  }

  /** The server writes such a value in its own form: '1 hour' as 01:00:00. */
  @ParameterizedTest
  @ValueSource(strings = {"interval", "time", "inet", "money", "int[]", "numrange"})
  void aTypeWithATextOfItsOwnIsRefused(String type) throws Exception {
    database.execute("CREATE TABLE t (v %s)".formatted(type));
    assertThat(problems("SELECT v FROM t"))
        .singleElement()
        .asString()
        .endsWith(
            "which the server may write differently from parameter p; return CAST(... AS text) AS v"
                + " to compare the server's text");
    assertThat(problems("SELECT CAST(v AS text) AS v FROM t")).isEmpty();
  }

  @Test
  void anEnumHasOneText() throws Exception {
    database.execute("CREATE TYPE mood AS ENUM ('Sad', 'ok'); CREATE TABLE t (v mood)");
    assertThat(problems("SELECT v FROM t WHERE v = :p")).isEmpty();
    database.execute("INSERT INTO t VALUES ('Sad')");
    assertThat(outcome("SELECT v FROM t WHERE v = :p", "Sad")).isEqualTo(Outcome.done(1));
  }

  /** As a parameter of type query gets its values. */
  @Test
  void aTimestampOfAQueryFindsItsRow() throws Exception {
    database.execute(
        "CREATE TABLE t (v timestamptz); INSERT INTO t VALUES ('2026-01-31 12:34:56.123457Z')");
    Object read =
        target
            .port(StatementAdmin.class)
            .ask(SqlPlans.statements("SELECT v FROM t").get(0), Map.of(), 1)
            .rows()
            .get(0)
            .get("v");
    Object value = Conversion.of(read, ValueType.TIMESTAMP).orElseThrow();
    assertThat(value).isEqualTo(Instant.parse("2026-01-31T12:34:56.123457Z"));
    assertThat(outcome("SELECT v FROM t WHERE v = :p", value)).isEqualTo(Outcome.done(1));
  }
}
