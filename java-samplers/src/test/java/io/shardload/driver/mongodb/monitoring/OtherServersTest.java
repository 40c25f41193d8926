package io.shardload.driver.mongodb.monitoring;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.Readings;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.ServerHost;
import io.shardload.monitoring.ServerMonitor;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What speaks MongoDB's protocol and can run in tests: a real FerretDB, and mongo-java-server. */
@Timeout(120)
class OtherServersTest {
  @Test
  void ferretdbCountsItsCommands() {
    TestMongo.Database database = TestMongo.ferretdb();
    try (ServerMonitor monitor = monitor(database)) {
      double before = commands(monitor.read(), "insert", "done");
      double failedBefore = commands(monitor.read(), "insert", "failed");
      for (int i = 0; i < 3; i++) {
        database.bson().getCollection("counted").insertOne(new Document("_id", i));
      }
      Readings readings = monitor.read();
      assertThat(commands(readings, "insert", "done") - before).isEqualTo(3);
      assertThat(commands(readings, "insert", "failed")).isEqualTo(failedBefore);
      assertThat(value(readings, "shardload_ferretdb_uptime_seconds")).isPositive();
      assertThat(value(readings, "shardload_server_up")).isEqualTo(1);
    }
  }

  @Test
  void ferretdbSaysWhatItIsAndWhatItLacks() {
    TestMongo.Database database = TestMongo.ferretdb();
    try (ServerMonitor monitor = monitor(database)) {
      Readings readings = monitor.read();
      String server = address(database);
      assertThat(readings.refused()).containsOnlyKeys(server + " connections", server + " sizes");
      assertThat(readings.all())
          .contains(
              Reading.gauge(
                  "shardload_server_version_info",
                  "Version of the server.",
                  Map.of("server", server, "role", "primary", "version", "FerretDB 1.24.0"),
                  1));
      String[] hostAndPort = server.split(":", -1);
      assertThat(monitor.hosts())
          .containsExactly(
              new ServerHost(hostAndPort[0], Integer.parseInt(hostAndPort[1]), Role.PRIMARY));
    }
  }

  @Test
  void theMonitorLeavesFerretdbsTablesAlone() {
    TestMongo.Database database = TestMongo.ferretdb();
    try (ServerMonitor monitor = monitor(database)) {
      Readings before = monitor.read();
      monitor.read();
      Readings after = monitor.read();
      for (String analyzes : List.of("dbStats", "collStats", "aggregate")) {
        assertThat(commands(after, analyzes, "done")).isEqualTo(commands(before, analyzes, "done"));
      }
      assertThat(commands(after, "serverStatus", "done"))
          .isGreaterThan(commands(before, "serverStatus", "done"));
    }
  }

  @Test
  void aServerThatHaltsIsDownAndComesBack() throws InterruptedException {
    try (TestMongo.OwnFerretdb own = TestMongo.ownFerretdb();
        ServerMonitor monitor = monitor(own.database())) {
      assertThat(value(monitor.read(), "shardload_server_up")).isEqualTo(1);
      own.halt();
      Readings down = monitor.read();
      assertThat(value(down, "shardload_server_up")).isZero();
      assertThat(down.all()).hasSize(1);
      assertThat(down.refused()).containsOnlyKeys(address(own.database()) + " connection");
      own.resume();
      // The driver looks again after a heartbeat.
      Readings readings = monitor.read();
      while (value(readings, "shardload_server_up") == 0) {
        Thread.sleep(100);
        readings = monitor.read();
      }
      assertThat(commands(readings, "serverStatus", "done")).isPositive();
    }
  }

  @Test
  void ferretdbTakesTheRightPasswordAndRefusesAWrongOne() {
    EmbeddedPostgres postgresql = TestDatabases.fresh().server();
    TestMongo.Database database = TestMongo.ferretdb();
    try (ServerMonitor monitor = monitor(database, postgresql.user(), postgresql.password())) {
      assertThat(value(monitor.read(), "shardload_server_up")).isEqualTo(1);
    }
    ConfigException e = refusalOf(() -> monitor(database, postgresql.user(), "certainly not"));
    assertThat(e.key()).isEqualTo("target.password-env");
    assertThat(e)
        .hasMessage(
            address(database) + " refuses the login: check user, password and auth-mechanism");
  }

  @Test
  void ofTheFakeServerThereIsLittleToRead() {
    TestMongo.Database database = TestMongo.fake();
    try (ServerMonitor monitor = monitor(database)) {
      Readings readings = monitor.read();
      assertThat(readings.all())
          .extracting(Reading::name)
          .containsExactlyInAnyOrder(
              "shardload_mongodb_uptime_seconds",
              "shardload_mongodb_connections",
              "shardload_mongodb_cursors",
              "shardload_mongodb_cursors",
              "shardload_server_part_up",
              "shardload_server_part_up",
              "shardload_server_up",
              "shardload_server_version_info");
      assertThat(value(readings, "shardload_mongodb_connections")).isPositive();
      assertThat(readings.refused())
          .isEqualTo(
              Map.of(address(database) + " sizes", "mongo-java-server does not report bytes"));
    }
  }

  private static ServerMonitor monitor(TestMongo.Database database) {
    return TestDatabases.driver("mongodb").monitor(database.config("{}"));
  }

  /** As the driver opens it, but for the password, which it takes from the environment. */
  private static ServerMonitor monitor(TestMongo.Database database, String user, String password) {
    String plain = "'auth-mechanism': 'PLAIN'";
    return MongodbMonitor.open(
        TestConnections.open(database.url(), user, password, plain, TestConnections.SESSION),
        Clock.SYSTEM,
        null);
  }

  private static String address(TestMongo.Database database) {
    return database.server().replaceFirst("^mongodb://", "").replaceFirst("/.*$", "");
  }

  private static double commands(Readings readings, String command, String result) {
    return readings.all().stream()
        .filter(reading -> command.equals(reading.labels().get("command")))
        .filter(reading -> result.equals(reading.labels().get("result")))
        .mapToDouble(Reading::value)
        .sum();
  }

  private static double value(Readings readings, String name) {
    List<Reading> found =
        readings.all().stream().filter(reading -> reading.name().equals(name)).toList();
    assertThat(found).hasSize(1);
    return found.get(0).value();
  }
}
