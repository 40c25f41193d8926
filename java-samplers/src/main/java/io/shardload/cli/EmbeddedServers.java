package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.TargetConfig;
import io.shardload.embedded.EmbeddedMariadb;
import io.shardload.embedded.EmbeddedMongo;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.EmbeddedServerException;
import io.shardload.embedded.PostgresSettings;
import io.shardload.faults.Fault;
import io.shardload.faults.Injection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The servers that targets embed; they end with this process. */
final class EmbeddedServers implements AutoCloseable {
  /**
   * The names of the passwords where configurations expect the name of an environment variable.
   * Servers of both kinds may run at the same time.
   */
  private static final String PASSWORD = "SHARDLOAD_EMBEDDED_PASSWORD";

  private static final String MARIADB_PASSWORD = "SHARDLOAD_EMBEDDED_MARIADB_PASSWORD";

  private static final String DATABASE = "shardload";

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
    try {
      return switch (name) {
        case EmbeddedPostgres.NAME -> postgresql(dataDirectory);
        case EmbeddedMongo.NAME -> mongodb();
        case EmbeddedMariadb.NAME -> mariadb(dataDirectory);
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

  private JsonObject postgresql(Path dataDirectory) {
    if (postgres == null) {
      postgres = EmbeddedPostgres.start(dataDirectory, PostgresSettings.durable());
    }
    Secrets.provide(PASSWORD, postgres.password());
    return started(postgres.url(), postgres.user(), PASSWORD, postgres.passwordFile());
  }

  private JsonObject mariadb(Path dataDirectory) {
    if (mariadb == null) {
      mariadb = EmbeddedMariadb.start(dataDirectory);
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

  /** How a fault that is built in is put into effect on the server that {@link #start} started. */
  Injection injection(Fault fault) {
    return switch (fault.kind()) {
      case "stop" -> new StopInjection(processes());
      case "kill" -> new KillInjection();
      default -> throw new ConfigException("faults", "no embedded server knows " + fault.kind());
    };
  }

  private List<ProcessHandle> processes() {
    return postgres != null ? postgres.processes() : mariadb.processes();
  }

  /** The server is killed, and starts again on the same data at the end. */
  private final class KillInjection implements Injection {
    @Override
    public void begin() {
      if (postgres != null) {
        postgres.killHard();
      } else {
        mariadb.killHard();
      }
    }

    @Override
    public void end() throws IOException {
      if (postgres != null) {
        postgres.restart();
      } else {
        mariadb.restart();
      }
    }

    @Override
    public String undo() {
      return ""; // The server ends with this process anyway.
    }
  }

  /**
   * All processes of the server stand still.
   *
   * @param processes the one that starts the others first
   */
  private record StopInjection(List<ProcessHandle> processes) implements Injection {
    @Override
    public void begin() throws IOException, InterruptedException {
      signal("STOP");
    }

    @Override
    public void end() throws IOException, InterruptedException {
      signal("CONT");
    }

    @Override
    public String undo() {
      return command("CONT");
    }

    private String command(String signal) {
      return processes.stream()
          .map(process -> Long.toString(process.pid()))
          .collect(Collectors.joining(" ", "kill -" + signal + " ", ""));
    }

    private void signal(String name) throws IOException, InterruptedException {
      // A session that has ended meanwhile is no failure; a server that has ended is.
      new ProcessBuilder("sh", "-c", command(name)).start().waitFor();
      if (!processes.get(0).isAlive()) {
        throw new IOException("the server's process " + processes.get(0).pid() + " has ended");
      }
    }
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
  }
}
