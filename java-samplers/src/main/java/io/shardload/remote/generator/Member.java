package io.shardload.remote.generator;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.config.Secrets;
import io.shardload.generator.Hosts;
import io.shardload.redis.Redis;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.wire.RunKeys;

/**
 * Which generator of which run this process is. It is read before target and workload, so that
 * their problems can be reported.
 *
 * @param runId of the run, and name of the folder of its files
 * @param ownRedis whether the target names a Redis; the controller's own one if not
 */
public record Member(String runId, int generator, Hosts hosts, boolean ownRedis) {
  private static final int MOST_GENERATORS = 10_000;

  /**
   * Reads the effective configuration.
   *
   * @throws io.shardload.config.ConfigException the run has no load hosts, or no proper id
   */
  public static Member read(JsonObject config) {
    Options root = new Options("", config);
    String runId = root.section("run").requiredText("id");
    if (runId.isEmpty() || !runId.matches("[^/\\\\]+") || runId.startsWith(".")) {
      throw new ConfigException("run.id", "is not a valid folder name: " + runId);
    }
    if (!root.has("hosts")) {
      throw new ConfigException(
          "hosts", "is missing: the engine of a load host runs only tests with load hosts");
    }
    return new Member(
        runId,
        (int) root.section("load").integer("generator", 0, 0, MOST_GENERATORS),
        Hosts.read(root.section("hosts")),
        !root.section("target").section("redis").text("url", "").isEmpty());
  }

  /** The keys of the run in Redis. */
  RunKeys keys() {
    return new RunKeys(runId, hosts.nonce());
  }

  /** Host and port of this generator's engine; empty if the list does not have it. */
  String address() {
    return generator < hosts.list().size() ? hosts.list().get(generator) : "";
  }

  /**
   * Connects to the Redis at which the generators meet.
   *
   * @throws io.shardload.config.ConfigException it does not answer, or refuses the password
   */
  Redis connect() {
    if (ownRedis) {
      String variable = hosts.redisPasswordEnv();
      boolean tls = hosts.redisUrl().startsWith("rediss:");
      return Redis.connect(
          hosts.redisUrl(),
          variable.isEmpty() ? null : Secrets.require("target.redis.password-env", variable),
          tls ? KeyStores.redisContext(hosts.keyStore()) : null);
    }
    return Redis.connect(
        hosts.redisUrl(),
        KeyStores.password(hosts.keyStore()),
        KeyStores.sslContext(hosts.keyStore()));
  }
}
