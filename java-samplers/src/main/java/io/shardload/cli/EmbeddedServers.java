package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.TargetConfig;
import io.shardload.embedded.EmbeddedMariadb;
import io.shardload.embedded.EmbeddedMongo;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.EmbeddedServerException;
import io.shardload.embedded.LoopDisk;
import io.shardload.embedded.PostgresSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The servers that targets embed; they end with this process. */
final class EmbeddedServers implements AutoCloseable {
  /**
   * The names of the passwords where configurations expect the name of an environment variable.
   * Servers of both kinds may run at the same time.
   */
  private static final String PASSWORD = "SHARDLOAD_EMBEDDED_PASSWORD";

  private static final String MARIADB_PASSWORD = "SHARDLOAD_EMBEDDED_MARIADB_PASSWORD";

  private static final String DATABASE = "shardload";

  private LoopDisk disk;
  private EmbeddedPostgres postgres;
  private EmbeddedMongo mongo;
  private EmbeddedMariadb mariadb;

  /** The note for readers if the server of this name only imitates the real one. */
  static Optional<String> fake(String name) {
    return name.equals(EmbeddedMongo.NAME) ? Optional.of(EmbeddedMongo.FAKE) : Optional.empty();
  }

  /** What is started for this name, in a few words. */
  static String title(String name) {
    return name.equals(EmbeddedMongo.NAME) ? EmbeddedMongo.TITLE : name;
  }

  /**
   * Starts what {@code target.embedded} names.
   *
   * @param dataDirectory where a server that keeps data from run to run has them
   */
  JsonObject start(JsonObject target, Path dataDirectory) {
    String name = target.get("embedded").getAsString();
    Path programs = dataDirectory.toAbsolutePath().getParent();
    try {
      return switch (name) {
        case EmbeddedPostgres.NAME ->
            postgresql(place(target, dataDirectory), programs, settings(target));
        case EmbeddedMongo.NAME -> mongodb();
        case EmbeddedMariadb.NAME ->
            mariadb(place(target, dataDirectory), programs, settings(target));
        default ->
            throw ConfigException.unknown(
                "target.embedded",
                "embedded server",
                name,
                List.of(EmbeddedPostgres.NAME, EmbeddedMongo.NAME, EmbeddedMariadb.NAME));
      };
    } catch (EmbeddedServerException e) {
      throw new ConfigException("target.embedded", e.getMessage());
    }
  }

  /** Where the server has its data: in a file system of its own, if the target asks for one. */
  private Path place(JsonObject target, Path dataDirectory) {
    if (!target.has("embedded-disk")) {
      return dataDirectory;
    }
    if (disk == null) {
      disk =
          LoopDisk.mount(
              Path.of(dataDirectory + "-disk"), target.get("embedded-disk").getAsString());
    }
    return disk.path().resolve("server");
  }

  private static Map<String, String> settings(JsonObject target) {
    Map<String, String> settings = new TreeMap<>();
    Json.object(target, "embedded-settings")
        .asMap()
        .forEach((name, value) -> settings.put(name, value.getAsString()));
    return settings;
  }

  private JsonObject postgresql(Path place, Path programs, Map<String, String> changed) {
    if (postgres == null) {
      PostgresSettings settings = PostgresSettings.durable();
      for (Map.Entry<String, String> one : changed.entrySet()) {
        settings = settings.with(one.getKey(), one.getValue());
      }
      postgres = EmbeddedPostgres.start(place, programs, settings);
    }
    Secrets.provide(PASSWORD, postgres.password());
    return started(postgres.url(), postgres.user(), PASSWORD, postgres.passwordFile());
  }

  private JsonObject mariadb(Path place, Path programs, Map<String, String> changed) {
    if (mariadb == null) {
      mariadb = EmbeddedMariadb.start(place, programs, changed);
    }
    Secrets.provide(MARIADB_PASSWORD, mariadb.password());
    return started(mariadb.url(), EmbeddedMariadb.USER, MARIADB_PASSWORD, mariadb.passwordFile());
  }

  private static JsonObject started(String url, String user, String passwordName, Path file) {
    JsonObject ok = new JsonObject();
    ok.addProperty("url", url);
    ok.addProperty("user", user);
    ok.addProperty("password_env", passwordName);
    ok.addProperty("password_file", file.toString());
    return ok;
  }

  /** All processes of the server, the one that starts the others first. */
  List<ProcessHandle> processes() {
    return postgres != null ? postgres.processes() : mariadb.processes();
  }

  /** Kills the server as a crash would. */
  void kill() {
    if (postgres != null) {
      postgres.killHard();
    } else {
      mariadb.killHard();
    }
  }

  /** Starts the server again on the same data and port, after {@link #kill}. */
  void restart() throws IOException {
    if (postgres != null) {
      postgres.restart();
    } else {
      mariadb.restart();
    }
  }

  /** The file system of the server's data; null if it is not in a file. */
  LoopDisk disk() {
    return disk;
  }

  /** Refuses servers that only the process that started them can reach. */
  static void checkMonitored(String name) {
    if (name.equals(EmbeddedMongo.NAME)) {
      throw new ConfigException(
          "target.embedded",
          EmbeddedMongo.TITLE
              + " runs inside the load test's own process: there is no server to monitor");
    }
  }

  /** The URL of the server that a run, by this process or another one, has started on its data. */
  static Optional<String> running(Path dataDirectory) {
    return EmbeddedPostgres.running(dataDirectory);
  }

  /** A target that leads to a server that {@link #running} found. */
  static TargetConfig attach(TargetConfig target, Path dataDirectory, String url) {
    Secrets.provide(PASSWORD, EmbeddedPostgres.password(dataDirectory));
    return new TargetConfig(
        target.name(),
        target.driver(),
        target.embedded(),
        url,
        EmbeddedPostgres.USER,
        PASSWORD,
        target.options());
  }

  private JsonObject mongodb() {
    if (mongo == null) {
      mongo = EmbeddedMongo.start();
    }
    JsonObject ok = new JsonObject();
    ok.addProperty("url", mongo.url(DATABASE));
    fake(EmbeddedMongo.NAME).ifPresent(text -> ok.addProperty("fake", text));
    return ok;
  }

  @Override
  public void close() {
    if (postgres != null) {
      postgres.close();
    }
    if (mongo != null) {
      mongo.close();
    }
    if (mariadb != null) {
      mariadb.close();
    }
    if (disk != null) {
      disk.close();
    }
  }
}
