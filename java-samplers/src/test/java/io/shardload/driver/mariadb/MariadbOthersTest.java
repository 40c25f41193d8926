package io.shardload.driver.mariadb;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.sql.SqlFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others made on a real MariaDB stays, and is not mistaken for shardload's own. */
class MariadbOthersTest {
  private final MariaServer.Database database = MariaServer.fresh();
  @AutoClose private final Target target = database.open("{}");

  /** Does something while a database of a name that shardload uses has a table. */
  private ConfigException refused(String name, Runnable what) {
    database.execute("CREATE DATABASE %1$s; CREATE TABLE %1$s.data_table (id int)".formatted(name));
    try {
      ConfigException refused = refusalOf(what::run);
      assertThat(database.ask("SHOW TABLES FROM " + name)).containsExactly("data_table");
      return refused;
    } finally {
      database.execute("DROP DATABASE " + name);
    }
  }

  private static List<Problem> check(Target target, String... schema) {
    List<Problem> problems = new ArrayList<>();
    List<Statement> statements = new ArrayList<>();
    for (String one : schema) {
      statements.addAll(
          SqlFile.parseSchema(
                  "schema/mariadb.sql",
                  one,
                  new MariadbDriver().systems().get(0).rules().orElseThrow(),
                  problems::add)
              .get(0));
    }
    try {
      problems.addAll(
          target
              .port(StatementAdmin.class)
              .check(statements, List.of(), List.of(), Map.of(), List.of()));
      return problems;
    } catch (CallFailure e) {
      throw new AssertionError(e);
    }
  }

  /** Mutation: the place is dropped whatever its comment says. */
  @Test
  void aDatabaseWithTheNameOfATrialStays() {
    assertThat(refused("shardload_check", () -> check(target, "CREATE TABLE t (id int)")))
        .hasMessageContaining("shardload did not create it");
    assertThat(check(target, "CREATE TABLE t (id int)").toString()).contains("creates table \"t\"");
    assertThat(database.ask("SHOW DATABASES LIKE 'shardload_check'")).isEmpty();
  }

  /** Mutation: what is left is the database of the session, whosever it is. */
  @Test
  void aTargetMayHaveTheNameOfATrial() {
    MariaServer.Database own = MariaServer.Database.of(database.server(), "shardload_check");
    Runnable looks =
        () -> {
          try (Target there = own.open("{}")) {
            assertThat(check(there)).isEmpty();
          }
        };
    assertThat(refused(own.name(), looks)).isNull();
  }

  /** Mutation: a place without a comment is taken for an empty one. */
  @Test
  void aDatabaseWithTheNameOfTheScratchPlaceStays() {
    Runnable asks =
        () -> {
          try (var scratch = target.scratch(List.of("data_table"))) {
            throw new AssertionError("not refused: " + scratch);
          } catch (CallFailure e) {
            throw new AssertionError(e);
          }
        };
    assertThat(refused("shardload_scratch", asks))
        .hasMessageContaining("its comment does not name shardload");
  }

  /** Mutation: a drop is asked of nothing. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDropTellsOfForeignKeysOfOtherTables(boolean own) throws Exception {
    database.execute(
        "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a int, CONSTRAINT refers FOREIGN KEY"
            + " (a) REFERENCES a (id))");
    List<String> names = own ? List.of("a", "b") : List.of("a");
    List<DataObject> objects = List.copyOf(target.dataSets().look(names).values());
    assertThat(target.dataSets().attached(objects))
        .isEqualTo(
            own ? List.of() : List.of("foreign key refers of %s.b".formatted(database.name())));
  }

  /** Mutation: the refusal is passed on as it is. */
  @Test
  void aRightThatIsMissingIsNamed() {
    database.execute(
        "CREATE USER IF NOT EXISTS few@'127.0.0.1'; GRANT ALL ON %s.* TO few@'127.0.0.1'"
            .formatted(database.name()));
    try (Target few = database.as("few").open("{}")) {
      assertThat(refusalOf(() -> check(few, "CREATE TABLE t (id int)")))
          .hasMessage(
              "may not create a database shardload_check, which the check of statements needs:"
                  + " GRANT ALL ON `shardload\\_check`.* permits it");
      assertThat(refusalOf(() -> few.scratch(List.of("t")).close()))
          .hasMessage(
              "may not create a database shardload_scratch, which parity and calibrate need:"
                  + " GRANT ALL ON `shardload\\_scratch`.* permits it");
    }
  }

  /** Mutation: the message of a driver without a server. */
  @Test
  void metricsAreThoseOfAnExporter() {
    TargetConfig config = database.config("{}");
    assertThat(refusalOf(() -> new MariadbDriver().monitor(config)))
        .hasMessageContaining("scrape an exporter next to each");
  }

  /** Mutation: the connection's number is not left out. */
  @Test
  void aProblemHasNoNumberOfAConnection() {
    assertThat(check(target, "CREATE TABLE t (id nothing)").toString())
        .contains("nothing")
        .doesNotContain("conn=");
  }

  @Test
  void aViewHasNoSize() throws Exception {
    database.execute("CREATE TABLE a (id int PRIMARY KEY); CREATE VIEW v AS SELECT * FROM a");
    assertThat(target.port(StatementAdmin.class).storage(List.of("v")).toString())
        .contains("bytes=0");
  }
}
