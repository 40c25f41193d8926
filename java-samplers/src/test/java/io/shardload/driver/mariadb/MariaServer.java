package io.shardload.driver.mariadb;

import io.shardload.bundle.BundleFixture;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.embedded.EmbeddedMariadb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real MariaDB for tests: one server for the whole test JVM, one fresh database for each test.
 */
final class MariaServer {
  private static final String PASSWORD = "TEST_MARIADB_PASSWORD";
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static EmbeddedMariadb shared;

  private MariaServer() {}

  /** A fresh database. */
  static synchronized Database fresh() {
    if (shared == null) {
      shared = EmbeddedMariadb.start(Path.of("target", "mariadb", UUID.randomUUID().toString()));
      Secrets.provide(PASSWORD, shared.password());
    }
    String name = "test" + COUNT.incrementAndGet();
    String server = shared.url().replaceFirst("/[^/]*$", "/");
    Database.of(server, "mysql").execute("CREATE DATABASE " + name + " COLLATE utf8mb4_nopad_bin");
    return Database.of(server, name);
  }

  /**
   * A server of its own, with the certificate {@code server.crt} and its key in the folder above.
   */
  static Tls withTls(Path folder) throws IOException {
    String secret;
    String port;
    try (EmbeddedMariadb first = EmbeddedMariadb.start(folder)) {
      secret = first.password();
      port = first.url().replaceFirst(".*:(\\d+)/.*", "$1");
    }
    Path programs = folder.resolveSibling("mariadb-11.4.5");
    List<String> command = new ArrayList<>();
    command.add(programs.resolve("bin/mariadbd").toString());
    command.add("--no-defaults");
    command.add("--basedir=" + programs);
    command.add("--datadir=" + folder.resolve("data"));
    command.add("--lc-messages-dir=" + programs.resolve("share"));
    command.add("--character-sets-dir=" + programs.resolve("share/charsets"));
    command.add("--bind-address=127.0.0.1");
    command.add("--port=" + port);
    command.add("--socket=");
    command.add("--ssl-cert=" + folder.resolveSibling("server.crt"));
    command.add("--ssl-key=" + folder.resolveSibling("server.key"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--user=root");
    }
    Path log = folder.resolve("tls.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Tls server = new Tls(process, Integer.parseInt(port), secret);
    while (!Files.readString(log).contains("ready for connections")) {
      if (!process.isAlive()) {
        throw new IOException(Files.readString(log));
      }
      Thread.onSpinWait();
    }
    return server;
  }

  /** A server with TLS. */
  record Tls(Process process, int port, String password) implements AutoCloseable {
    void execute(String sql) {
      new Database("mariadb://127.0.0.1:" + port + "/", "mysql", EmbeddedMariadb.USER, password)
          .execute(sql);
    }

    @Override
    public void close() {
      process.destroy();
      process.onExit().join();
    }
  }

  /** A database on the server. */
  record Database(String server, String name, String user, String password) {
    static Database of(String server, String name) {
      return new Database(server, name, EmbeddedMariadb.USER, shared.password());
    }

    /** As a user without a password. */
    Database as(String other) {
      return new Database(server, name, other, "");
    }

    TargetConfig config(String options) {
      String secret = password.isEmpty() ? "" : PASSWORD;
      return new TargetConfig(
          "test", "mariadb", "", server + name, user, secret, BundleFixture.parse(options));
    }

    Target open(String options) {
      return TestDatabases.driver("mariadb")
          .open(config(options), new Session("test", 2, Duration.ofSeconds(5)));
    }

    Connection connect() throws SQLException {
      String url = "jdbc:%s%s?sslMode=disable&allowMultiQueries=true".formatted(server, name);
      return DriverManager.getConnection(url, user, password);
    }

    void execute(String sql) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    /** The first column of all rows. */
    List<String> ask(String sql) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(sql)) {
        List<String> all = new ArrayList<>();
        while (row.next()) {
          all.add(row.getString(1));
        }
        return all;
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
