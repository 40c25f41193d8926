package io.shardload.workload.statements.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements, parameters, verbs and problems of files of SQL. */
class SqlFileTest {
  private final List<Problem> problems = new ArrayList<>();

  private List<List<SqlStatement>> read(String sql) {
    return SqlFile.read("f.sql", sql, problems::add);
  }

  private SqlStatement one(String sql) {
    List<List<SqlStatement>> read = read(sql);
    assertThat(problems).isEmpty();
    assertThat(read).hasSize(1);
    assertThat(read.get(0)).hasSize(1);
    return read.get(0).get(0);
  }

  /** Each parameter becomes {@code <name>}. */
  private static String marked(SqlStatement statement) {
    StringBuilder text = new StringBuilder(statement.pieces().get(0));
    for (int i = 0; i < statement.names().size(); i++) {
      text.append('<').append(statement.names().get(i)).append('>');
      text.append(statement.pieces().get(i + 1));
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "SELECT :a::int ~ SELECT <a>::int",
        "SELECT a::int + :b_2 ~ SELECT a::int + <b_2>",
        "SELECT ':a' , :a ~ SELECT ':a' , <a>",
        "SELECT 'it''s :a', :b ~ SELECT 'it''s :a', <b>",
        "SELECT E'it\\'s :a', :b ~ SELECT E'it\\'s :a', <b>",
        "SELECT 'a\\', :b ~ SELECT 'a\\', <b>",
        "SELECT \":a\" FROM t ~ SELECT \":a\" FROM t",
        "SELECT $$ :a $$, :b ~ SELECT $$ :a $$, <b>",
        "SELECT $q$ $$ :a ; $q$, :b ~ SELECT $q$ $$ :a ; $q$, <b>",
        "SELECT x[1:2], y[lo:hi], z[:a], w[:a:b], v[(1):n] ~ SELECT x[1:2], y[lo:hi], z[<a>], w[<a>:b], v[(1):n]",
        "SELECT ARRAY[:a, :b] ~ SELECT ARRAY[<a>, <b>]",
        "SELECT a /* :x /* :y */ :z */ + :b ~ SELECT a   + <b>",
        "SELECT f(n := :a, m => :b) ~ SELECT f(n := <a>, m => <b>)",
        "SELECT j ? 'k' AND j ?| :keys ~ SELECT j ? 'k' AND j ?| <keys>",
        "SELECT a:b ~ SELECT a<b>",
        "SELECT 'é', :a ~ SELECT 'é', <a>",
        "SELECT 10:2 ~ SELECT 10:2",
      })
  void parametersAreFoundWhereTheyMayBe(String sql, String expected) {
    assertThat(marked(one(sql))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "select 1 ~ select ~ false",
        "INSERT INTO t VALUES (:a) ~ insert ~ true",
        "Update t SET a = 1 ~ update ~ true",
        "DELETE FROM t ~ delete ~ true",
        "MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE ~ merge ~ true",
        "VALUES (1) ~ values ~ false",
        "TABLE t ~ table ~ false",
        "SELECT * FROM t FOR UPDATE ~ select ~ false",
        "WITH a AS (SELECT 1) SELECT * FROM a FOR NO KEY UPDATE ~ select ~ false",
        "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a ~ select ~ true",
        "WITH RECURSIVE a(n) AS MATERIALIZED (SELECT 1), b AS (SELECT 2) INSERT INTO t SELECT n FROM a ~ insert ~ true",
        "WITH a AS (SELECT update FROM t) SELECT 1 ~ select ~ false",
      })
  void theVerbTellsWhetherItWrites(String sql, String verb, boolean writes) {
    SqlStatement statement = one(sql);
    assertThat(statement.verb()).isEqualTo(verb);
    assertThat(statement.writes()).isEqualTo(writes);
  }

  @Test
  void statementsAndVariantsKnowTheirLines() {
    List<List<SqlStatement>> read =
        read(
            """
            -- What it does.
            SELECT a
              FROM t;  -- done

            UPDATE t SET a = :x;
            -- variant
            SELECT ';' -- variant
            ;
            """);
    assertThat(problems).isEmpty();
    assertThat(read).hasSize(2);
    assertThat(read.get(0))
        .extracting(s -> s.place().toString())
        .containsExactly("f.sql:2", "f.sql:5");
    assertThat(read.get(0).get(0).pieces()).containsExactly("SELECT a\n  FROM t");
    assertThat(read.get(1)).extracting(s -> s.place().toString()).containsExactly("f.sql:7");
    assertThat(read.get(1).get(0).pieces()).containsExactly("SELECT ';'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "SELECT 'a ~ f.sql:1: the literal is not closed: a ' is missing",
        "SELECT \"a ~ f.sql:1: the quoted name is not closed: a \" is missing",
        "SELECT $x$ a $$ ~ f.sql:1: the text after $x$ is not closed",
        "SELECT /* a /* b */ ~ f.sql:1: the comment /* is not closed",
        "SELECT $1 ~ f.sql:1: $1 has no name; write a parameter as :name",
        "SELECT :aB ~ f.sql:1: the parameter :aB has capitals; names are lower case",
        "\\set a 1 ~ f.sql:1: \\set is a command of psql or pgbench; parameters stand in workload.yml, under workload.parameters",
        "SELECT 1 \\gset ~ f.sql:1: \\gset is a command of psql or pgbench; only statements are sent",
        "CREATE TABLE t (a int) ~ f.sql:1: CREATE cannot stand in a transaction; allowed are select, insert, update, delete, merge, values, table and with",
        "COPY t FROM STDIN ~ f.sql:1: COPY cannot stand in a transaction; allowed are select, insert, update, delete, merge, values, table and with",
        "DO $$ BEGIN END $$ ~ f.sql:1: DO cannot stand in a transaction; allowed are select, insert, update, delete, merge, values, table and with",
        "BEGIN ~ f.sql:1: BEGIN cannot stand in a transaction; allowed are select, insert, update, delete, merge, values, table and with",
        "(SELECT 1) ~ f.sql:1: a statement begins with a word",
        "-- nothing ~ f.sql:1: there is no statement",
        ";; ~ f.sql:1: there is no statement",
      })
  void whatIsWrongIsOneLine(String sql, String problem) {
    read(sql);
    assertThat(problems).extracting(Problem::toString).containsExactly(problem);
  }

  @Test
  void aVariantWithoutAStatementIsWrong() {
    read("SELECT 1;\n-- variant\n-- variant\nSELECT 2");
    assertThat(problems)
        .extracting(Problem::toString)
        .containsExactly("f.sql:3: the variant before has no statement");
  }

  @Test
  void aSchemaHasAnyStatementsButNoParameters() {
    List<SqlStatement> schema =
        SqlFile.schema(
            "s.sql",
            "CREATE TABLE t (a int);\nSELECT create_distributed_table('t', 'a');",
            problems::add);
    assertThat(problems).isEmpty();
    assertThat(schema).extracting(SqlStatement::verb).containsExactly("create", "select");
    SqlFile.schema("s.sql", "CREATE TABLE :t (a int)", problems::add);
    SqlFile.schema("s.sql", "SELECT 1;\n-- variant\nSELECT 2", problems::add);
    assertThat(problems)
        .extracting(Problem::toString)
        .containsExactly(
            "s.sql:1: a schema has no parameters, but here is :t",
            "s.sql:3: a schema has no variants");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "SELECT j ? 'a?' ~ SELECT j ?? 'a?'",
        "SELECT j ?| a, \"?\" ?& b ~ SELECT j ??| a, \"?\" ??& b",
        "$$?$$ ? ~ $$?$$ ??",
        ":hi] ? ~ :hi] ??",
      })
  void operatorsAreDoubledForJdbc(String piece, String expected) {
    assertThat(Operators.doubled(piece)).isEqualTo(expected);
  }

  /** Whatever it is made of, nothing is lost between the parameters. */
  @Test
  void theTextIsKept() {
    String[] parts = {
      "a",
      " ",
      ":p",
      "::",
      "'x:y'",
      "\"q:r\"",
      " $$ :s $$",
      "[",
      "]",
      "1",
      ":",
      "?",
      "(",
      ")",
      ",",
      " E'\\''",
      "\n",
      "=",
      ".5"
    };
    Draws draws = new Draws();
    int parameters = 0;
    for (int round = 0; round < 20_000; round++) {
      draws.at(7, round);
      StringBuilder sql = new StringBuilder("select ");
      for (long length = draws.next(12); length >= 0; length--) {
        sql.append(parts[(int) draws.next(parts.length)]);
      }
      sql.append(" x");
      SqlStatement statement = one(sql.toString());
      StringBuilder again = new StringBuilder(statement.pieces().get(0));
      for (int i = 0; i < statement.names().size(); i++) {
        again.append(':').append(statement.names().get(i)).append(statement.pieces().get(i + 1));
        parameters++;
      }
      assertThat(again.toString()).isEqualTo(sql.toString());
    }
    assertThat(parameters).isGreaterThan(5_000);
  }
}
