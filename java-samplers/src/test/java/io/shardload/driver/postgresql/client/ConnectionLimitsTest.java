package io.shardload.driver.postgresql.client;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.monitoring.ServerMonitor;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.StatementStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More connections than the server, the role or the database gives are refused beforehand. */
class ConnectionLimitsTest {
  private static final String PASSWORD = UUID.randomUUID().toString();
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_PLAIN";

  private static final String OTHERS =
      "SELECT count(*) FROM pg_stat_activity"
          + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

  private static EmbeddedPostgres server;
  private static Database database;
  private static Connection admin;

  @BeforeAll
  static void start(@TempDir Path temporary) throws Exception {
    PostgresSettings settings =
        PostgresSettings.durable()
            .with("max_connections", "20")
            .with("superuser_reserved_connections", "3")
            .with("reserved_connections", "2");
    Secrets.provide(PASSWORD_ENV, PASSWORD);
    server = TestDatabases.server(temporary.resolve("data"), settings);
    database = TestDatabases.on(server);
    admin = database.connect();
    awaitAlone();
  }

  /** A connection that was closed is there until its process has noticed. */
  private static void awaitAlone() throws SQLException, InterruptedException {
    while (true) {
      try (Statement statement = admin.createStatement();
          ResultSet row = statement.executeQuery(OTHERS)) {
        row.next();
        if (row.getLong(1) == 0) {
          return;
        }
      }
      Thread.sleep(20);
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    admin.close();
    server.close();
  }

  @BeforeEach
  void createRole() throws SQLException {
    execute("CREATE ROLE plain LOGIN PASSWORD '" + PASSWORD + "'");
  }

  @AfterEach
  void dropRole() throws SQLException {
    execute("DROP ROLE plain");
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = admin.createStatement()) {
      statement.execute(sql);
    }
  }

  private Target open(String user, int workers, String options) {
    JsonObject json = JsonParser.parseString(options).getAsJsonObject();
    String env = user.equals("plain") ? PASSWORD_ENV : "";
    return new PostgresqlDriver()
        .open(
            new TargetConfig("test", "postgresql", "", database.url(), user, env, json),
            Session.controller("limits", workers, Duration.ofSeconds(5)));
  }

  private void accept(String user, int workers, String options) throws CallFailure {
    try (Target target = open(user, workers, options)) {
      target.checkConnections();
    }
  }

  private ConfigException refused(String user, int workers, String options) {
    try (Target target = open(user, workers, options)) {
      return refusalOf(target::checkConnections);
    }
  }

  /** One connection is this test's own. Mutation: count what is reserved for others. */
  @Test
  void aSuperuserGetsAll() throws CallFailure {
    accept("shardload", 16, "{}");
    ConfigException e = refused("shardload", 17, "{}");
    assertThat(e.key()).isEqualTo("load.workers");
    assertThat(e)
        .hasMessage(
            "needs 20 connections (17 for transactions, 3 for other purposes), but the"
                + " server accepts only 19: max_connections is 20, 0 reserved, 1 in use");
  }

  /** What is said to fit does: the pool is filled beside the three others. */
  @Test
  void whatIsAcceptedCanBeOpened() throws CallFailure {
    try (Target controller = open("shardload", 16, "{'connect-timeout': '5s'}")) {
      controller.checkConnections();
      controller.dataSets().header();
      try (ServerMonitor sessions =
              new PostgresqlDriver().sessions(database.config("{}"), "shardload-limits").get();
          Target generator =
              database.open(
                  "{'connect-timeout': '5s'}", new Session("limits", 16, Duration.ofSeconds(5)))) {
        generator.dataSets().header();
        generator.port(StatementStore.class);
        assertThat(sessions.read().refused()).isEmpty();
        assertThat(generator.connectionsByHost().values()).containsExactly(16L);
      }
    }
  }

  @Test
  void othersGetWhatIsNotReserved() throws Exception {
    accept("plain", 11, "{}");
    assertThat(refused("plain", 12, "{}"))
        .hasMessageContaining("accepts only 14: max_connections is 20, 5 reserved, 1 in use");
    execute("GRANT pg_use_reserved_connections TO plain");
    accept("plain", 13, "{}");
    assertThat(refused("plain", 14, "{}")).hasMessageContaining("20, 3 reserved");
  }

  @Test
  void theRolesOwnLimitCounts() throws Exception {
    execute("ALTER ROLE plain CONNECTION LIMIT 6");
    accept("plain", 3, "{}");
    assertThat(refused("plain", 4, "{}"))
        .hasMessageContaining("accepts only 6: the limit of role plain is 6, 0 reserved, 0 in use");
  }

  @Test
  void theDatabasesLimitCounts() throws Exception {
    String name = admin.getCatalog();
    execute("ALTER DATABASE " + name + " CONNECTION LIMIT 9");
    try {
      accept("plain", 5, "{}");
      assertThat(refused("plain", 6, "{}"))
          .hasMessageContaining(
              "accepts only 8: the limit of database " + name + " is 9, 0 reserved");
    } finally {
      execute("ALTER DATABASE " + name + " CONNECTION LIMIT -1");
    }
  }

  @Test
  void onlyWhatIsOpenedCounts() throws CallFailure {
    accept("shardload", 500, "{'pool-size': 16}");
    assertThat(refused("shardload", 5, "{'pool-size': 17}").key())
        .isEqualTo("target.options.pool-size");
    assertThat(refused("shardload", 17, "{'connections': 'per-transaction'}").key())
        .isEqualTo("load.workers");
    accept("shardload", 500, "{'pooler': 'pgbouncer', 'statements': 'simple'}");
  }
}
