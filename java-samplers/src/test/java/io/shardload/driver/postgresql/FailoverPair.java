package io.shardload.driver.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Secrets;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real primary with a streaming standby. A failover changes their roles; what was killed comes
 * back as the standby, from a fresh base backup. Both are known under the ports that they had at
 * first: {@link #first} and {@link #second}.
 */
public final class FailoverPair implements AutoCloseable {
  private static final String PASSWORD_ENV = "SHARDLOAD_FAILOVER_TEST_PASSWORD";
  private static final String CAUGHT_UP =
      "SELECT pg_last_wal_replay_lsn() >= '%s' AND EXISTS (SELECT FROM pg_stat_wal_receiver)";

  private final Path directory;
  private final PostgresSettings settings;
  private final int[] ports = new int[2];
  private final EmbeddedPostgres[] servers = new EmbeddedPostgres[2];
  private int primary;

  private FailoverPair(Path directory, PostgresSettings settings) {
    this.directory = directory;
    this.settings = settings;
  }

  /** Starts both, in a directory that the caller removes. */
  public static FailoverPair start(Path directory) throws Exception {
    return start(
        directory,
        PostgresSettings.durable()
            .with("shared_buffers", "32MB")
            // A standby that was cut off looks for its primary again soon.
            .with("wal_retrieve_retry_interval", "100ms")
            .with("wal_keep_size", "256MB"));
  }

  /** Starts both with these settings, in a directory that the caller removes. */
  public static FailoverPair start(Path directory, PostgresSettings settings) throws Exception {
    FailoverPair pair = new FailoverPair(directory, settings);
    pair.servers[0] = TestDatabases.server(pair.home(0), settings);
    pair.ports[0] = pair.servers[0].port();
    pair.join(1);
    return pair;
  }

  private Path home(int index) {
    return directory.resolve("server" + index);
  }

  public EmbeddedPostgres primary() {
    return servers[primary];
  }

  public EmbeddedPostgres standby() {
    return servers[1 - primary];
  }

  /** That was the primary in the beginning, whatever it is now. */
  public EmbeddedPostgres first() {
    return servers[0];
  }

  /** That was the standby in the beginning. */
  public EmbeddedPostgres second() {
    return servers[1];
  }

  /** A fresh database, which is on both. */
  public Database database() {
    Database database = TestDatabases.on(primary());
    awaitCaughtUp();
    return database;
  }

  /** Both hosts under one URL, the first first. */
  public TargetConfig config(Database database, String options) {
    return config(
        database,
        options,
        "127.0.0.1:%d,127.0.0.1:%d".formatted(servers[0].port(), servers[1].port()));
  }

  public TargetConfig config(Database database, String options, String hosts) {
    // The server's password file names one host only.
    Secrets.provide(PASSWORD_ENV, primary().password());
    String url = "postgresql://" + hosts + "/" + database.name();
    return Database.config(url, primary().user(), PASSWORD_ENV, options, "{}");
  }

  /** A database by its name on the one that takes writes now. */
  public Database onPrimary(Database database) {
    return new Database(primary(), database.name());
  }

  public Database onStandby(Database database) {
    return new Database(standby(), database.name());
  }

  /** Until the standby has replayed what the primary has written, and receives more. */
  public void awaitCaughtUp() {
    String written =
        new Database(primary(), "postgres").ask("SELECT pg_current_wal_insert_lsn()").get(0);
    await(new Database(standby(), "postgres"), CAUGHT_UP.formatted(written), "t");
  }

  /** From now on no commit is acknowledged before the standby has it. */
  public void acknowledgeLate() {
    Database primary = new Database(primary(), "postgres");
    primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary.ask("SELECT pg_reload_conf()");
    await(primary, "SELECT sync_state FROM pg_stat_replication", "sync");
  }

  /** From now on the standby receives nothing more: what the primary acknowledges, it alone has. */
  public void cutStandbyOff() {
    Database standby = new Database(standby(), "postgres");
    standby.execute("ALTER SYSTEM SET primary_conninfo = ''");
    standby.ask("SELECT pg_reload_conf()");
    await(standby, "SELECT count(*) FROM pg_stat_wal_receiver", "0");
  }

  /** The primary is gone at once, and the standby takes its place. */
  public void failOver() {
    primary().killHard();
    new Database(standby(), "postgres").ask("SELECT pg_promote(true, 60)");
    primary = 1 - primary;
  }

  /** What was killed comes back under its old port as the standby of the new primary. */
  public void rejoin() throws Exception {
    standby().stop();
    try (Stream<Path> files = Files.walk(home(1 - primary))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    join(1 - primary);
  }

  private void join(int index) throws Exception {
    Path from = home(1 - index);
    Path to = home(index);
    EmbeddedPostgres source = servers[1 - index];
    try (Connection connection = new Database(source, "postgres").connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('join', true)");
      copy(from, to);
      try (ResultSet stop = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        stop.next();
        Files.writeString(to.resolve("cluster/backup_label"), stop.getString(1));
      }
    }
    Files.deleteIfExists(to.resolve("cluster/postmaster.pid"));
    Files.deleteIfExists(to.resolve("cluster/postgresql.auto.conf"));
    Files.createFile(to.resolve("cluster/standby.signal"));
    String conninfo =
        "host=127.0.0.1 port=%d user=%s passfile='%s' application_name=standby"
            .formatted(source.port(), source.user(), to.resolve("pgpass"));
    PostgresSettings standby = settings.with("primary_conninfo", conninfo);
    servers[index] = TestDatabases.server(to, standby.withPort(ports[index]));
    ports[index] = servers[index].port();
    awaitCaughtUp();
  }

  /** Files of a running server come and go. */
  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(
                folder, to.resolve(from.relativize(folder)), StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            try {
              Files.copy(
                  file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException e) {
              // It was there a moment ago.
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
  }

  public static void await(Database where, String sql, String answer) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!where.ask(sql).equals(List.of(answer))) {
      assertThat(System.nanoTime()).as(sql).isLessThan(deadline);
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    servers[1 - primary].stop();
    servers[primary].stop();
  }
}
