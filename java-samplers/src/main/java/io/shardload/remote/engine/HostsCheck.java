package io.shardload.remote.engine;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.redis.Redis;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The verb {@code load-hosts} of the controller's child: whether the engines of load hosts would
 * accept a test now, and whether the Redis of the target answers. It starts nothing.
 */
public final class HostsCheck {
  private HostsCheck() {}

  /**
   * Asks all of them.
   *
   * @param request {@code list} (host or host:port), {@code redis_url} and {@code
   *     redis_password_env}, both empty if the controller starts a Redis of its own
   * @return {@code troubles}: a line for each engine that would not take part
   */
  public static JsonObject run(JsonObject request) {
    Path root = Path.of(System.getenv().getOrDefault("SHARDLOAD_ROOT", ""));
    return run(request, root.resolve(".shardload/jmeter"), KeyStores.DEFAULT);
  }

  static JsonObject run(JsonObject request, Path jmeterHome, Path keyStore) {
    List<String> hosts = new ArrayList<>();
    Json.array(request, "list").forEach(host -> hosts.add(host.getAsString()));
    List<String> troubles = new ArrayList<>();
    try (Engines engines = new Engines(hosts, jmeterHome, keyStore)) {
      engines
          .probe()
          .forEach(
              (number, probe) -> {
                if (!probe.isIdle()) {
                  troubles.add("load host %s: %s".formatted(hosts.get(number), probe.why()));
                }
              });
    } catch (ConfigException e) {
      troubles.add("load hosts: " + e.getMessage());
    }
    String url = Json.text(request, "redis_url", "");
    if (!url.isEmpty()) {
      askRedis(url, Json.text(request, "redis_password_env", ""), keyStore, troubles);
    }
    JsonObject ok = new JsonObject();
    ok.add("troubles", Json.strings(troubles));
    return ok;
  }

  private static void askRedis(
      String url, String passwordEnv, Path keyStore, List<String> troubles) {
    try {
      String password =
          passwordEnv.isEmpty() ? null : Secrets.require("target.redis.password-env", passwordEnv);
      boolean tls = url.startsWith("rediss:");
      Redis.connect(url, password, tls ? KeyStores.redisContext(keyStore) : null).close();
    } catch (ConfigException e) {
      troubles.add("target.redis: " + e.getMessage());
    }
  }
}
