package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.EmbeddedServerException;
import io.shardload.embedded.PostgresSettings;
import java.nio.file.Path;
import java.util.List;

/** The servers that targets embed; they end with this process. */
final class EmbeddedServers implements AutoCloseable {
  /** Names the password wherever a password is named by its environment variable. */
  private static final String PASSWORD = "SHARDLOAD_EMBEDDED_PASSWORD";

  private EmbeddedPostgres postgres;

  /** Starts what {@code target.embedded} names, with its data in a directory. */
  JsonObject start(JsonObject target, Path dataDirectory) {
    String name = target.get("embedded").getAsString();
    if (!name.equals("postgresql")) {
      throw ConfigException.unknown(
          "target.embedded", "embedded server", name, List.of("postgresql"));
    }
    try {
      if (postgres == null) {
        postgres = EmbeddedPostgres.start(dataDirectory, PostgresSettings.durable());
      }
    } catch (EmbeddedServerException e) {
      throw new ConfigException("target.embedded", e.getMessage());
    }
    Secrets.provide(PASSWORD, postgres.password());
    JsonObject ok = new JsonObject();
    ok.addProperty("url", postgres.url());
    ok.addProperty("user", postgres.user());
    ok.addProperty("password_env", PASSWORD);
    ok.addProperty("password_file", postgres.passwordFile().toString());
    return ok;
  }

  @Override
  public void close() {
    if (postgres != null) {
      postgres.close();
    }
  }
}
