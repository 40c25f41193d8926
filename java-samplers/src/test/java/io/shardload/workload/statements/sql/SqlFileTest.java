package io.shardload.workload.statements.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.SqlStatement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlFileTest {
  private static final SqlRules RULES = new SqlRules("'\"", false, true, false, true, true);
  private static final SqlRules OTHERS = new SqlRules("'\"`", true, false, true, false, false);

  private static final List<String> PARTS =
      List.of(
          "select",
          "x",
          "1",
          "1.5e3",
          "'a'",
          "':x'",
          "''",
          "'it''s'",
          "E'\\''",
          "e'a\\\\'",
          "\"q:x\"",
          "$$ ':x $$",
          "$t$ $$;$t$",
          "::",
          ":=",
          "=>",
          "(",
          ")",
          "[",
          "]",
          "[1:2]",
          "[a:b]",
          ",",
          "+",
          "-",
          "*",
          "/",
          "?",
          "?|",
          "?&",
          "@>",
          "--:x\n",
          "/*:x*/",
          "/* /* ' */ */",
          "\n",
          "é");

  /** Parameters are shown as {@code <name>}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          select :a                                     ~ select <a>
          select :a, :b_2, :a                           ~ select <a>, <b_2>, <a>
          select :a::int, b::text                       ~ select <a>::int, b::text
          select ':a', ':a''s :b', :c                   ~ select ':a', ':a''s :b', <c>
          select E'\\':a', e'\\\\', :b                  ~ select E'\\':a', e'\\\\', <b>
          select 'C:\\', :b                             ~ select 'C:\\', <b>
          select U&'\\0041:a', B'1', X'F', N':a', :b    ~ select U&'\\0041:a', B'1', X'F', N':a', <b>
          select name':a', :b                           ~ select name':a', <b>
          select ":a", "b"":c", "a\\", :d               ~ select ":a", "b"":c", "a\\", <d>
          select $$:a '; $$, $x$ $$ :b $x$, :c          ~ select $$:a '; $$, $x$ $$ :b $x$, <c>
          select a$b$c, :d                              ~ select a$b$c, <d>
          select 1 -- :a ; ' " $$ /*                    ~ select 1
          select /* :a /* ' */ ; */ :b                  ~ select   <b>
          select/**/:b                                  ~ select <b>
          select a[1:2], a[:n], a[:n:2], a[m:n]         ~ select a[1:2], a[<n>], a[<n>:2], a[m:n]
          select a[1 : :n], a[: :n], a[1:], a[:]        ~ select a[1 : <n>], a[: <n>], a[1:], a[:]
          select a[:2], a[f(:n):3], a[x.y:z]            ~ select a[:2], a[f(<n>):3], a[x.y:z]
          select a[b[1]:c], a[(:n)], a[1::int:2]        ~ select a[b[1]:c], a[(<n>)], a[1::int:2]
          select array[:a, :b], array[case when :c end] ~ select array[<a>, <b>], array[case when <c> end]
          select f(x := :a, y => :b)                    ~ select f(x := <a>, y => <b>)
          select j ? 'a', j ?| :k, j ?& :l, j @> :m     ~ select j ? 'a', j ?| <k>, j ?& <l>, j @> <m>
          select 1-:a, 2*:b/3, :c||:d                   ~ select 1-<a>, 2*<b>/3, <c>||<d>
          select (:a:b)                                 ~ select (<a><b>)
          select j #>> '{a,b}', 5 % :a, .5e3, 1e-5      ~ select j #>> '{a,b}', 5 % <a>, .5e3, 1e-5
          select größe, :a from tåbelle                 ~ select größe, <a> from tåbelle
          select 1;                                     ~ select 1
          """)
  void cutsAtParametersAlone(String sql, String expected) {
    assertThat(read(sql)).hasSize(1);
    assertThat(shown(read(sql).get(0).get(0))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SELECT 1                                                                    | select | false
          (select 1) union (select 2)                                                 | select | false
          ((with x as (select 1) select * from x))                                    | select | false
          values (1)                                                                  | values | false
          table t                                                                     | table  | false
          insert into t values (1)                                                    | insert | true
          INSERT INTO t SELECT * FROM u                                               | insert | true
          update t set a = 1                                                          | update | true
          delete from t                                                               | delete | true
          merge into t using u on true when matched then delete                       | merge  | true
          with x as (select 1) select * from x                                        | select | false
          with x as (delete from t returning *) select * from x                       | select | true
          with x as materialized (select 1), y (a, b) as (update t set a = 1) table x | table  | true
          with recursive x as not materialized (select 1) insert into t table x       | insert | true
          with a as (with b as (select 1) insert into t table b) select 1             | select | true
          with update as (select 1), "delete" as (select 2) select * from update      | select | false
          with x as (select 1) search depth first by id set o select * from x         | select | false
          select * from f() as (id int, delete text)                                  | select | false
          select cast(a as int), t.update from t where b in (select delete from u)    | select | false
          select * from t for update                                                  | select | false
          select * from t for no key update skip locked                               | select | false
          select f(1)                                                                 | select | false
          explain delete from t                                                       | explain | false
          """)
  void knowsVerbAndWhetherItWrites(String sql, String verb, boolean writes) {
    SqlStatement statement = read(sql).get(0).get(0);
    assertThat(statement.verb()).isEqualTo(verb);
    assertThat(statement.writes()).isEqualTo(writes);
  }

  @Test
  void dividesStatementsAndVariants() {
    String file =
        """
        -- Finds one; and another.

        select ';', :a
          from t; /* one
        two */ select 2;
          -- variant\r
        select $$
        -- variant
        $$
        --VARIANT
        update t set a = (select 1 /* ;
        */ from u);
        """;
    assertThat(read(file).stream().map(one -> one.stream().map(SqlFileTest::placed).toList()))
        .containsExactly(
            List.of("f.sql:3 select ';', <a>\n  from t", "f.sql:5 select 2"),
            List.of("f.sql:7 select $$\n-- variant\n$$"),
            List.of("f.sql:11 update t set a = (select 1 \n from u)"));
  }

  @Test
  void literalsWithBackslashesGoOnInTheNextLine() {
    assertThat(shown(read("select E'a' \n '\\':b', :c").get(0).get(0)))
        .isEqualTo("select E'a' \n '\\':b', <c>");
    assertThat(shown(read("select 'a' \n '\\', :c").get(0).get(0)))
        .isEqualTo("select 'a' \n '\\', <c>");
  }

  @Test
  void bodiesOfFunctionsAreOneStatement() {
    String file =
        """
        create function f() returns int language sql
        begin atomic
          select case when true then 1 end;
          select 2;
        end;
        create table t (a int);
        create rule r as on insert to t do also (select 1; select 2)
        """;
    assertThat(read(file)).singleElement().asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(3);
  }

  /** Problems as line: text. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          select 1;; select 2      | 1: the statement before the semicolon is empty
          -- nothing               | 1: the file has no statement
          select 'a                | 1: the literal is not closed
          select E'a\\'            | 1: the literal is not closed
          select "a                | 1: the name in double quotes is not closed
          select $a$ x $b$         | 1: the literal that begins with $a$ is not closed
          select 1 /* /* */        | 1: the comment is not closed
          select $1                | 1: $1 has no name: write :name, a parameter of workload.yml
          \\set aid random(1, 10)  | 1: \\set is a pgbench command: define parameters in workload.yml
          \\setrandom aid 1 10     | 1: \\setrandom is a pgbench command: define parameters in workload.yml
          \\i other.sql            | 1: \\i is not SQL: psql commands are not supported
          select :Aid              | 1: :Aid is not a parameter: names consist of a-z, 0-9 and _
          select :1                | 1: :1 is not a parameter: names consist of a-z, 0-9 and _
          select :'a'              | 1: :'a' is psql syntax: write :a
          select : a               | 1: the colon does not begin a parameter: write ":name"
          select (1                | 1: "(" is not closed
          select 1)                | 1: ")" has no opening bracket
          select a[1)]             | 1: ")" has no opening bracket
          select a into b from c   | 1: SELECT INTO creates a table: define tables in the schema
          -- variant 2             | 1: the line that separates variants must be exactly "-- variant"
          -- variants              | 1: the line that separates variants must be exactly "-- variant"
          """)
  void namesLineAndProblem(String sql, String problem) {
    assertThat(problems(sql)).containsExactly(problem);
  }

  @Test
  void allProblemsAreFoundEachWithItsLine() {
    assertThat(problems("select $1;\nselect\n :B;\n\\d\nselect (1;\n-- variant\nselect 'x"))
        .containsExactly(
            "1: $1 has no name: write :name, a parameter of workload.yml",
            "3: :B is not a parameter: names consist of a-z, 0-9 and _",
            "4: \\d is not SQL: psql commands are not supported",
            "5: \"(\" is not closed",
            "7: the literal is not closed");
    assertThat(problems("select 1\n-- variant\n;\n-- variant\n"))
        .containsExactly(
            "3: the statement before the semicolon is empty",
            "2: variant 2 is empty",
            "4: variant 3 is empty");
    assertThat(problems("-- variant\nselect 1")).containsExactly("1: variant 1 is empty");
  }

  @Test
  void aCommentThatOnlyMentionsVariantsIsOne() {
    assertThat(problems("select 1 -- variant 2\n-- variant spellings are equal\n")).isEmpty();
  }

  @Test
  void operatorsAreDoubledForJdbcAndNothingElse() {
    String sql = "select j ? '?', \"?\", $$?$$, j ?| :k, a[:m:n] where j ?& :k and E'\\'?' = :l";
    assertThat(Operators.jdbc(read(sql).get(0).get(0), RULES))
        .isEqualTo("select j ?? '?', \"?\", $$?$$, j ??| ?, a[?:n] where j ??& ? and E'\\'?' = ?");
  }

  // Mutations that turned it red: each of the rules as PostgreSQL has it.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '!',
      value = {
        "select `a:b`, :c                 | select `a:b`, <c>",
        "select 'it\\'s :a', \"\\\":b\", :c | select 'it\\'s :a', \"\\\":b\", <c>",
        "select '\\\\', :c                | select '\\\\', <c>",
        "select 5--3, :a # :b             | select 5--3, <a>",
        "select :a -- it's :b             | select <a>",
        "select 1 /* a /* b */, :c        | select 1  , <c>",
        "select a$b$c, $:d                | select a$b$c, $<d>",
      })
  void aSystemHasRulesOfItsOwn(String sql, String read) {
    List<String> problems = new ArrayList<>();
    var all = SqlFile.parse("f.sql", sql, OTHERS, p -> problems.add(p.text()));
    assertThat(problems).isEmpty();
    assertThat(shown(all.get(0).get(0))).isEqualTo(read);
  }

  @Test
  void aQuestionMarkThatIsNoOperatorHasNoName() {
    List<String> problems = new ArrayList<>();
    SqlFile.parse("f.sql", "select a ? :b", OTHERS, p -> problems.add(p.text()));
    SqlFile.parse("f.sql", "select `a", OTHERS, p -> problems.add(p.text()));
    assertThat(problems)
        .containsExactly(
            "? has no name: write :name, a parameter of workload.yml",
            "the name in backticks is not closed");
  }

  private static String placed(SqlStatement statement) {
    return statement.place() + " " + shown(statement);
  }

  private static String shown(SqlStatement statement) {
    StringBuilder shown = new StringBuilder(statement.pieces().get(0));
    for (int i = 0; i < statement.names().size(); i++) {
      shown.append('<').append(statement.names().get(i)).append('>');
      shown.append(statement.pieces().get(i + 1));
    }
    return shown.toString();
  }

  private static List<List<SqlStatement>> read(String sql) {
    List<Problem> problems = new ArrayList<>();
    List<List<SqlStatement>> variants = SqlFile.parse("f.sql", sql, RULES, problems::add);
    assertThat(problems).isEmpty();
    return variants;
  }

  private static List<String> problems(String sql) {
    List<Problem> problems = new ArrayList<>();
    SqlFile.parse("f.sql", sql, RULES, problems::add);
    return problems.stream().map(p -> p.place().line() + ": " + p.text()).toList();
  }

  // Statements and texts by chance, from fixed seeds.

  @Test
  void aStatementWithItsPlaceholdersReadsAsTheSameStatement() {
    Random random = new Random(15);
    int parsed = 0;
    for (int i = 0; i < 20_000; i++) {
      List<Problem> problems = new ArrayList<>();
      List<List<SqlStatement>> variants =
          SqlFile.parse("f", statement(random), RULES, problems::add);
      if (!problems.isEmpty()) {
        continue;
      }
      parsed++;
      SqlStatement first = variants.get(0).get(0);
      SqlStatement again = SqlFile.parse("f", first.with(":x"), RULES, problems::add).get(0).get(0);
      assertThat(problems).as(first.with(":x")).isEmpty();
      assertThat(again.pieces()).as(first.with(":x")).isEqualTo(first.pieces());
      assertThat(again.names()).isEqualTo(Collections.nCopies(first.names().size(), "x"));
      assertThat(again.verb()).isEqualTo(first.verb());
    }
    // Brackets that do not match spoil the others.
    assertThat(parsed).isGreaterThan(2_000);
  }

  /** Literals, names and comments between parameters keep their colons to themselves. */
  @Test
  void parametersAreFoundWhereTheyWerePut() {
    Random random = new Random(16);
    List<String> parts = PARTS.stream().filter(part -> !part.matches("[()\\[\\]]|:=|::")).toList();
    for (int i = 0; i < 5_000; i++) {
      StringBuilder text = new StringBuilder("select ");
      List<String> names = new ArrayList<>();
      for (int j = random.nextInt(12); j >= 0; j--) {
        text.append(parts.get(random.nextInt(parts.size()))).append(' ');
        if (random.nextBoolean()) {
          names.add("p" + random.nextInt(5));
          text.append(':').append(names.get(names.size() - 1)).append(' ');
        }
      }
      List<Problem> problems = new ArrayList<>();
      List<List<SqlStatement>> variants = SqlFile.parse("f", text.toString(), RULES, problems::add);
      assertThat(problems).as(text.toString()).isEmpty();
      assertThat(variants.get(0).get(0).names()).as(text.toString()).isEqualTo(names);
    }
  }

  @Test
  void anyTextIsReadToItsEnd() {
    Random random = new Random(17);
    String characters = "ab:;'\"$-*/\\()[]?= \nE1é_.,";
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(30); j >= 0; j--) {
        text.append(characters.charAt(random.nextInt(characters.length())));
      }
      List<Problem> problems = new ArrayList<>();
      List<List<SqlStatement>> variants = SqlFile.parse("f", text.toString(), RULES, problems::add);
      long lines = text.chars().filter(c -> c == '\n').count() + 1;
      assertThat(problems).allMatch(p -> p.place().line() >= 1 && p.place().line() <= lines);
      if (problems.isEmpty()) {
        assertThat(variants).isNotEmpty().noneMatch(List::isEmpty);
      } else {
        refused++;
      }
    }
    assertThat(refused).isBetween(5_000, 19_900);
  }

  private static String statement(Random random) {
    StringBuilder text = new StringBuilder("select ");
    for (int i = random.nextInt(10); i >= 0; i--) {
      text.append(PARTS.get(random.nextInt(PARTS.size())));
      text.append(random.nextInt(3) == 0 ? "" : " ");
      if (random.nextInt(3) == 0) {
        text.append(":p").append(random.nextInt(9)).append(random.nextBoolean() ? " " : "");
      }
    }
    return text.toString();
  }
}
