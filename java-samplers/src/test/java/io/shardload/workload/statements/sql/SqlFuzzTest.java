package io.shardload.workload.statements.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Statements and texts by chance, from fixed seeds. */
class SqlFuzzTest {
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

  @Test
  void aStatementWithItsPlaceholdersReadsAsTheSameStatement() {
    Random random = new Random(15);
    int parsed = 0;
    for (int i = 0; i < 20_000; i++) {
      List<Problem> problems = new ArrayList<>();
      List<List<SqlStatement>> variants = SqlFile.parse("f", statement(random), problems::add);
      if (!problems.isEmpty()) {
        continue;
      }
      parsed++;
      SqlStatement first = variants.get(0).get(0);
      SqlStatement again = SqlFile.parse("f", first.with(":x"), problems::add).get(0).get(0);
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
      List<List<SqlStatement>> variants = SqlFile.parse("f", text.toString(), problems::add);
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
      List<List<SqlStatement>> variants = SqlFile.parse("f", text.toString(), problems::add);
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
