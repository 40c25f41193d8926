package io.shardload.cli;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.generator.Hosts;
import io.shardload.redis.Redis;
import io.shardload.remote.controller.EngineControl;
import io.shardload.remote.controller.HostsException;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.wire.RunKeys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostVerbsTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_HOST_VERBS";

  @TempDir Path folder;
  private final List<String> calls = new ArrayList<>();
  @AutoClose private final HostVerbs verbs = new HostVerbs(hosts -> new Refusing());

  /** Engines of which the second has another key store. */
  private final class Refusing implements EngineControl {
    @Override
    public Map<Integer, Probe> probe() {
      calls.add("probe");
      return Map.of(
          0, new Probe(State.IDLE, ""), 1, new Probe(State.REFUSED, "has another key store"));
    }

    @Override
    public Map<Integer, String> start(Path plan, List<Map<String, String>> properties) {
      throw new AssertionError("an engine was started");
    }

    @Override
    public void stop(Collection<Integer> generators) {
      throw new AssertionError("an engine was stopped that was not started");
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }

  /** Engines that record the key of the run that they are sent, and do not run it. */
  private record Recording(Set<String> keys) implements EngineControl {
    @Override
    public Map<Integer, Probe> probe() {
      return Map.of(0, new Probe(State.IDLE, ""), 1, new Probe(State.IDLE, ""));
    }

    @Override
    public Map<Integer, String> start(Path plan, List<Map<String, String>> properties) {
      for (Map<String, String> each : properties) {
        JsonObject config = BundleFixture.parse(each.get("shardload.config"));
        String nonce = config.getAsJsonObject("hosts").get("nonce").getAsString();
        keys.add(new RunKeys("r", nonce).run());
      }
      return Map.of(0, "recorded");
    }

    @Override
    public void stop(Collection<Integer> generators) {
      throw new AssertionError("an engine was stopped that was not started");
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  private JsonObject request(String hosts) {
    JsonObject request = new JsonObject();
    request.add(
        "config",
        BundleFixture.parse(
            """
            {'run': {'id': 'r', 'directory': '%s'},
             'target': {'driver': 'noop', 'options': {}},
             'workload': {'name': 'document-store', 'seed': 1, 'data': {'documents': 100}},
             'mix': {'find-by-id-and-filter1': 100},
             'load': {'model': 'closed', 'workers': 2, 'generator': 0, 'generators': 2,
                      'segments': [{'name': 'hold', 'kind': 'hold', 'seconds': 1,
                                    'from_workers': 2, 'to_workers': 2}]}%s}
            """
                .formatted(folder, hosts)));
    return request;
  }

  private String hosts(String more) {
    return ", 'hosts': {'list': ['a:1099', 'b:1099'], 'key_store': '%s'%s}"
        .formatted(folder.resolve("keys").resolve(KeyStores.FILE), more);
  }

  @Test
  void withoutItsOwnRedisTheTargetsIsUsed() throws Exception {
    Secrets.provide(PASSWORD_ENV, "secret");
    try (EmbeddedRedis redis = EmbeddedRedis.start("secret")) {
      String url = ", 'redis_url': '" + redis.url() + "', 'redis_password_env': '";
      assertThatThrownBy(() -> verbs.run("hosts-open", request(hosts(url + PASSWORD_ENV + "'"))))
          .isInstanceOfSatisfying(HostsException.class, e -> assertThat(e.exit()).isEqualTo(1))
          .hasMessage("b:1099: has another key store");
      assertThat(calls).containsExactly("probe", "close");
      Secrets.provide(PASSWORD_ENV, "wrong");
      assertThat(refusalOf(() -> verbs.run("hosts-open", request(hosts(url + PASSWORD_ENV + "'")))))
          .hasMessageContaining("rejects the password");
      assertThat(calls).hasSize(2);
    }
  }

  /** Their runs began in the same second. Mutations: keys of the id alone; one nonce for all. */
  @Test
  void controllersThatShareARedisShareNoKeysOfRunsWithOneId() throws Exception {
    Secrets.provide(PASSWORD_ENV, "secret");
    Set<String> keys = new HashSet<>();
    Function<Hosts, EngineControl> access = hosts -> new Recording(keys);
    try (EmbeddedRedis server = EmbeddedRedis.start("secret");
        Redis redis = Redis.connect(server.url(), "secret", null)) {
      String more =
          ", 'redis_url': '%s', 'redis_password_env': '%s'".formatted(server.url(), PASSWORD_ENV);
      for (int controller = 0; controller < 2; controller++) {
        try (HostVerbs each = new HostVerbs(access)) {
          assertThatThrownBy(() -> each.run("hosts-open", request(hosts(more))))
              .hasMessageContaining("recorded");
        }
      }
      assertThat(keys).hasSize(2).allSatisfy(key -> assertThat(redis.hgetAll(key)).isNotEmpty());
    }
  }

  @Test
  void theControllersOwnRedisNeedsTheKeyStore() throws Exception {
    assertThat(refusalOf(() -> verbs.run("hosts-open", request(hosts("")))))
        .hasMessageContaining(KeyStores.FILE);
    KeyStores.create(Files.createDirectories(folder).resolve("keys"));
    assertThatThrownBy(() -> verbs.run("hosts-open", request(hosts(""))))
        .isInstanceOf(HostsException.class);
    assertThat(calls).containsExactly("probe", "close");
    assertThatThrownBy(
            () -> verbs.run("hosts-open", request(hosts(", 'controller_address': '192.0.2.1'"))))
        .isInstanceOfSatisfying(
            ConfigException.class, e -> assertThat(e.key()).isEqualTo("target.controller-address"));
  }

  @Test
  void verbsOutOfOrderAreRefused() throws Exception {
    assertThatThrownBy(() -> verbs.run("hosts-open", request("")))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> verbs.run("hosts-status", new JsonObject()))
        .hasMessage("hosts-open must come first");
    assertThat(verbs.run("hosts-close", new JsonObject()).get("finals")).hasToString("[]");
  }
}
