package io.shardload.driver;

import io.shardload.bundle.BundleFixture;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Real PostgreSQL for tests: one server for the whole test JVM, one fresh database for each test,
 * and hand-written SQL that goes past the code under test.
 */
public final class TestDatabases {
  private static final Path PROGRAMS = Path.of("target", "embedded");
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static EmbeddedPostgres shared;

  private TestDatabases() {}

  /** A database on a server. */
  public record Database(EmbeddedPostgres server, String name) {
    public String url() {
      return "postgresql://127.0.0.1:" + server.port() + "/" + name;
    }

    public TargetConfig config(String options) {
      return config(options, "{}");
    }

    public TargetConfig config(String options, String schema) {
      return config(url(), server.user(), "", options, schema);
    }

    /** The same by way of a proxy on this machine. */
    public TargetConfig through(int port, String options, String schema) {
      return config(
          "postgresql://127.0.0.1:" + port + "/" + name, server.user(), "", options, schema);
    }

    /** This database under another URL, or for another user. */
    public static TargetConfig config(
        String url, String user, String passwordEnv, String options, String schema) {
      return new TargetConfig(
          "test",
          "postgresql",
          "",
          url,
          user,
          passwordEnv,
          BundleFixture.parse(options),
          BundleFixture.parse(schema),
          "");
    }

    /** Opens the target for two workers, for a run named {@code test}. */
    public Target open(String options) {
      return open(options, new Session("test", 2, Duration.ofSeconds(5)));
    }

    public Target open(String options, Session session) {
      return driver("postgresql").open(config(options), session);
    }

    public void execute(String sql) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(sql, e);
      }
    }

    /** The rows, their columns joined with a blank. */
    public List<String> ask(String sql) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(sql)) {
        List<String> all = new ArrayList<>();
        while (rows.next()) {
          List<String> columns = new ArrayList<>();
          for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            columns.add(rows.getString(i));
          }
          all.add(String.join(" ", columns));
        }
        return all;
      } catch (SQLException e) {
        throw new IllegalStateException(sql, e);
      }
    }

    public Connection connect() throws SQLException {
      return DriverManager.getConnection("jdbc:" + url(), server.user(), server.password());
    }
  }

  /** A fresh database on the server that all tests share; it does not survive a crash. */
  public static synchronized Database fresh() {
    if (shared == null) {
      Path data = Path.of("target", "test-data", "shared-" + ProcessHandle.current().pid());
      shared =
          EmbeddedPostgres.start(
              data,
              PROGRAMS,
              PostgresSettings.durable().with("fsync", "off").with("synchronous_commit", "off"));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndDelete(data)));
    }
    // The password file names host and port, so the last server that was used is the one it fits.
    return on(shared);
  }

  private static void stopAndDelete(Path data) {
    shared.stop();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A fresh database on a server of the test's own. */
  public static Database on(EmbeddedPostgres server) {
    System.setProperty("org.postgresql.pgpassfile", server.passwordFile().toString());
    String name = "test" + COUNT.incrementAndGet();
    new Database(server, "postgres").execute("CREATE DATABASE " + name);
    return new Database(server, name);
  }

  /** A server of the test's own. */
  public static EmbeddedPostgres server(Path data, PostgresSettings settings) {
    return EmbeddedPostgres.start(data, PROGRAMS, settings);
  }

  public static Driver driver(String name) {
    return ServiceLoader.load(Driver.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(driver -> driver.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
