package io.shardload.driver.mongodb;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Settings;
import java.time.Duration;
import java.util.Optional;

/** Connections as a target file describes them. */
public final class TestConnections {
  public static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));

  private TestConnections() {}

  /**
   * Opens connections of a user without login.
   *
   * @param options of the target file, as JSON with single quotes and without the braces
   */
  public static Connections open(String url, String options, Session session) {
    return open(url, "", null, options, session);
  }

  /**
   * Opens connections of a user with a login.
   *
   * @param password may be null
   */
  public static Connections open(
      String url, String user, String password, String options, Session session) {
    return new Connections(
        Connections.address(url), user, Optional.ofNullable(password), settings(options), session);
  }

  public static Settings settings(String options) {
    String json = "{" + options.replace('\'', '"') + "}";
    return Settings.read(
        new Options("target.options", JsonParser.parseString(json).getAsJsonObject()), true);
  }

  /** To a router. */
  public static Connections sharded(FakeRouter router) {
    return open(router.url("app"), "'topology': 'sharded'", SESSION);
  }
}
