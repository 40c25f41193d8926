package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Makings;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tables and indexes take as long as they take: the statement timeout is that of transactions. */
class StatementTimeoutTest {
  private static final int TIMEOUT_MILLIS = 100;

  /** As an index over many shards, or a table of many files. */
  private static final String SLOW =
      """
      CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(0.2); END';
      CREATE EVENT TRIGGER slow ON ddl_command_start
        WHEN TAG IN ('CREATE INDEX', 'DROP TABLE', 'DROP SCHEMA') EXECUTE FUNCTION slow();
      """;

  private static final String INDEXES =
      "SELECT count(*) FROM pg_indexes WHERE tablename = 'data_table' AND schemaname = '%s'";

  private final Database database = TestDatabases.fresh();

  private Target open() {
    database.execute(SLOW);
    Session session = new Session("test", 1, Duration.ofMillis(TIMEOUT_MILLIS));
    return database.open("{}", session);
  }

  @Test
  void makingAndDroppingTheTableMayTakeLongerThanATransaction() throws Exception {
    try (Target target = open()) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isTrue();
      String indexes = database.ask(INDEXES.formatted("public")).get(0);
      assertThat(Integer.parseInt(indexes)).isGreaterThan(1);

      assertThat(admin.createSchema(Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
      assertThat(database.ask(INDEXES.formatted("public"))).containsExactly(indexes);
    }
  }

  @Test
  void soMayTablesOfItsOwn() throws Exception {
    try (Target target = open();
        DocumentStoreBaseline.Scratch scratch =
            target.port(DocumentStoreBaseline.class).scratch()) {
      assertThat(database.ask(INDEXES.formatted("shardload_scratch"))).doesNotContain("0");
      scratch.empty();
    }
    assertThat(database.ask(INDEXES.formatted("shardload_scratch"))).containsExactly("0");
  }
}
