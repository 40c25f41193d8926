package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreScratch;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The scratch schema is dropped only if it is ours and nobody uses it.
 *
 * <p>Mutations that turned it red: the lock not compared; nothing looked for that is not ours.
 */
class ScratchOwnerTest {
  private static final String SCHEMAS =
      "SELECT count(*) FROM pg_namespace WHERE nspname = 'shardload_scratch'";

  private final Database database = TestDatabases.fresh();

  private Target open(String run) {
    return database.open("{}", Session.controller(run, 1, Duration.ofSeconds(5)));
  }

  private static DocumentStoreScratch scratch(Target target) throws CallFailure {
    return target.port(DocumentStoreAdmin.class).scratch();
  }

  @Test
  void anApplicationsSchemaStays() {
    database.execute("CREATE SCHEMA shardload_scratch");
    database.execute("CREATE TABLE shardload_scratch.data_table AS SELECT 1 AS precious");
    try (Target target = open("one")) {
      assertThatThrownBy(() -> scratch(target))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "schema shardload_scratch exists, and its comment does not name shardload"
                  + " as its creator; drop it by hand, or use another database");
      assertThat(database.ask("SELECT precious FROM shardload_scratch.data_table"))
          .containsExactly("1");
    }
  }

  @Test
  void anApplicationsTableInOurSchemaStays() throws CallFailure {
    try (Target target = open("one")) {
      DocumentStoreScratch left = scratch(target);
      database.execute("CREATE TABLE shardload_scratch.orders AS SELECT 1 AS precious");
      try (Target other = open("two")) {
        assertThatThrownBy(() -> scratch(other)).isInstanceOf(ConfigException.class);
      }
      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
              + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
      try (Target other = open("two")) {
        assertThatThrownBy(() -> scratch(other))
            .hasMessageContaining(
                "schema shardload_scratch holds orders, which shardload did not create");
      }
      assertThat(database.ask("SELECT precious FROM shardload_scratch.orders"))
          .containsExactly("1");
      left.close();
    }
  }

  @Test
  void oneProcessAtATimeUsesIt() throws CallFailure {
    try (Target target = open("one");
        Target other = open("two")) {
      try (DocumentStoreScratch held = scratch(target)) {
        assertThatThrownBy(() -> scratch(other))
            .isInstanceOf(ConfigException.class)
            .hasMessage("run one is using schema shardload_scratch right now; wait until it ends");
        assertThat(held.admin().count()).isZero();
      }
      scratch(other).close();
      assertThat(database.ask(SCHEMAS)).containsExactly("0");
    }
  }

  /** As after kill -9: the lock went with its connection, the tables stayed. */
  @Test
  void whatAKilledProcessLeftIsTakenOver() throws CallFailure {
    database.execute(ScratchOwner.create("shardload controller it's dead")[0]);
    database.execute("CREATE TABLE shardload_scratch.data_table (id int)");
    try (Target target = open("one");
        DocumentStoreScratch scratch = scratch(target)) {
      assertThat(scratch.admin().count()).isZero();
    }
    assertThat(database.ask(SCHEMAS)).containsExactly("0");
  }
}
