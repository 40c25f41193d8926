package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What follows the load, and who may do it.
 *
 * <p>Mutations that turned it red: no ANALYZE; the right to CHECKPOINT not asked for.
 */
class PostgresqlAfterLoadTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final String CHECKPOINT = "{'checkpoint-after-load': true}";

  private final Database database = TestDatabases.fresh();

  private Target open() {
    return new PostgresqlDriver().open(database.config("{}", CHECKPOINT), SESSION);
  }

  /** As a user of this name, who is no superuser. */
  private Target openAsPlain() {
    TargetConfig own = database.config("{}", CHECKPOINT);
    Secrets.provide("SHARDLOAD_TEST_PLAIN", "any");
    return new PostgresqlDriver()
        .open(
            new TargetConfig(
                own.name(),
                own.driver(),
                "",
                own.url(),
                "plain",
                "SHARDLOAD_TEST_PLAIN",
                own.options(),
                own.schema()),
            SESSION);
  }

  @Test
  void whoMayNotCheckpointIsToldBeforeAnythingIsLoaded() throws Exception {
    Document document = new Document(new UUID(0, 1), "a", "b", 1, "c", "d", "text", 0);
    database.execute("CREATE ROLE plain LOGIN PASSWORD 'any'");
    database.execute("ALTER DATABASE " + database.name() + " OWNER TO plain");
    try (Target target = openAsPlain()) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      for (boolean recreate : List.of(false, true)) {
        ConfigException e =
            catchThrowableOfType(ConfigException.class, () -> admin.checkSchema(recreate, 4096));
        assertThat(e.key()).isEqualTo("schema.checkpoint-after-load");
        assertThat(e).hasMessageStartingWith("the user may not CHECKPOINT: GRANT pg_checkpoint");
      }
      assertThat(database.ask("SELECT to_regclass('data_table') IS NULL")).containsExactly("t");
      admin.createSchema(Making.UNRECORDED, Progress.UNHEARD);
      assertThat(catchThrowableOfType(ConfigException.class, () -> admin.checkSchema(false, 4096)))
          .hasMessageContaining("superuser");
      admin.load(List.of(document).iterator(), done -> {});
      // What another user has loaded.
      admin.checkSchema(false, 4096);
      database.execute("GRANT pg_checkpoint TO plain");
      admin.checkSchema(true, 4096);
      admin.finishLoad(Progress.UNHEARD);
    }
    try (Target target = open()) {
      target.port(DocumentStoreAdmin.class).checkSchema(true, 4096);
    }
  }

  @Test
  void theLoadEndsWithStatisticsAndACheckpointWhenAsked() throws Exception {
    String count = "SELECT pg_stat_get_analyze_count('data_table'::regclass)";
    try (Target target = open()) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      admin.createSchema(Making.UNRECORDED, Progress.UNHEARD);
      String before = database.ask("SELECT checkpoint_lsn FROM pg_control_checkpoint()").get(0);
      admin.finishLoad(Progress.UNHEARD);
      assertThat(database.ask(count)).containsExactly("1");
      assertThat(database.ask("SELECT checkpoint_lsn FROM pg_control_checkpoint()").get(0))
          .isNotEqualTo(before);
    }
  }
}
