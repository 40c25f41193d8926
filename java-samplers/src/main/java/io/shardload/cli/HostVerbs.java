package io.shardload.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Daemons;
import io.shardload.Version;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.embedded.EmbeddedServerException;
import io.shardload.faults.Fault;
import io.shardload.generator.Hosts;
import io.shardload.generator.RunConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.redis.Redis;
import io.shardload.remote.controller.EngineControl;
import io.shardload.remote.controller.HostsRun;
import io.shardload.remote.controller.HostsSetting;
import io.shardload.remote.controller.Time;
import io.shardload.remote.engine.Engines;
import io.shardload.remote.engine.HostsCheck;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.merge.Collect;
import io.shardload.remote.wire.HelloFacts;
import io.shardload.remote.wire.RunKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** The verbs of a run on load hosts; one run at a time. */
final class HostVerbs implements AutoCloseable {
  private static final long TICK_MILLIS = 100;
  private static final String LOOPBACK = "127.0.0.1";
  private static final String ADDRESS = "target.controller-address";

  private final Function<Hosts, EngineControl> access;
  private EmbeddedRedis embedded;
  private HostsRun run;
  private Thread ticker;

  HostVerbs() {
    this(HostVerbs::engines);
  }

  HostVerbs(Function<Hosts, EngineControl> access) {
    this.access = access;
  }

  private static EngineControl engines(Hosts hosts) {
    Path home = root().resolve(".shardload/jmeter");
    return new EngineAccess(new Engines(hosts.list(), home, hosts.keyStore()));
  }

  private static Path root() {
    return Path.of(System.getenv().getOrDefault("SHARDLOAD_ROOT", ""));
  }

  JsonObject run(String verb, JsonObject request) throws IOException {
    return switch (verb) {
      case "hosts-open" -> open(request);
      case "hosts-start" -> start(request);
      case "hosts-status" -> opened().status();
      case "hosts-stop" -> stop(request.get("reason").getAsString());
      case "hosts-close" -> finish(request);
      case "load-hosts" -> HostsCheck.run(request);
      case "collect" -> collect(request);
      default -> throw new IllegalArgumentException("unknown verb " + verb);
    };
  }

  private JsonObject open(JsonObject request) throws IOException {
    close();
    RunConfig config = RunConfig.read(request.getAsJsonObject("config"));
    Hosts hosts = config.hosts();
    if (hosts == null) {
      throw new ConfigException("hosts", "is missing");
    }
    try {
      String url = hosts.redisUrl().isEmpty() ? startRedis(hosts) : hosts.redisUrl();
      Redis redis = Redis.connect(url, password(hosts), trust(hosts, url));
      HostsSetting setting = setting(request, config, url);
      run = new HostsRun(setting, redis, engines(redis, hosts), Time.SYSTEM);
      ticker = Daemons.start(this::tick, "shardload-meeting");
      JsonObject ok = run.open();
      ok.addProperty("redis_url", url);
      return ok;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private EngineControl engines(Redis redis, Hosts hosts) {
    try {
      return access.apply(hosts);
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  /** Starts the controller's own Redis; behind TLS unless only this machine can reach it. */
  private String startRedis(Hosts hosts) {
    String address = hosts.controllerAddress().isEmpty() ? LOOPBACK : hosts.controllerAddress();
    Path certificate = hosts.keyStore().resolveSibling(KeyStores.CERTIFICATE_FILE);
    Path key = hosts.keyStore().resolveSibling(KeyStores.KEY_FILE);
    boolean tls = !isLoopback(address);
    try {
      String password = KeyStores.password(hosts.keyStore());
      embedded =
          EmbeddedRedis.start(
              address,
              hosts.controllerPort(),
              password,
              tls ? certificate : null,
              tls ? key : null);
      return embedded.url();
    } catch (EmbeddedServerException e) {
      throw new ConfigException(ADDRESS, e.getMessage());
    }
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new ConfigException(ADDRESS, "unknown host name \"" + address + "\"");
    }
  }

  private static String password(Hosts hosts) {
    if (hosts.redisUrl().isEmpty()) {
      return KeyStores.password(hosts.keyStore());
    }
    return hosts.redisPasswordEnv().isEmpty()
        ? null
        : Secrets.require("target.redis.password-env", hosts.redisPasswordEnv());
  }

  /** The controller's own Redis uses the key of the key store; the user's Redis may use it, too. */
  private static SSLContext trust(Hosts hosts, String url) {
    if (!url.startsWith("rediss:")) {
      return null;
    }
    return hosts.redisUrl().isEmpty()
        ? KeyStores.sslContext(hosts.keyStore())
        : KeyStores.redisContext(hosts.keyStore());
  }

  private static HostsSetting setting(JsonObject request, RunConfig config, String redisUrl)
      throws IOException {
    JsonObject sent = request.getAsJsonObject("config").deepCopy();
    RunKeys keys = new RunKeys(config.runId(), UUID.randomUUID().toString());
    Fault.removeCommands(sent);
    sent.getAsJsonObject("hosts").addProperty("redis_url", redisUrl);
    sent.getAsJsonObject("hosts").addProperty("nonce", keys.nonce());
    Map<String, String> properties = new HashMap<>();
    JsonObject more = Json.object(request, "properties");
    more.keySet().forEach(name -> properties.put(name, more.get(name).getAsString()));
    JsonObject own = new JsonObject();
    own.addProperty(HelloFacts.RUN, config.runId());
    own.addProperty(HelloFacts.GENERATORS, config.hosts().list().size());
    own.addProperty(HelloFacts.JMETER, Version.jmeter());
    own.addProperty(HelloFacts.SCHEDULE_HASH, plan(config).hash());
    String plugin = Environment.pluginHash();
    if (!plugin.isEmpty()) {
      own.addProperty(HelloFacts.PLUGIN_SHA256, plugin);
    }
    return new HostsSetting(
        keys,
        config.hosts().list(),
        !config.hosts().stopOnLoss(),
        sent,
        request.has("plan")
            ? Path.of(request.get("plan").getAsString())
            : root().resolve("jmx/shardload.jmx"),
        properties,
        own);
  }

  private static Plan plan(RunConfig config) {
    return new Plan(new Schedule(config.load(), config.seed()), config.mix(), config.seed());
  }

  private JsonObject start(JsonObject request) throws IOException {
    RunConfig config = RunConfig.read(request.getAsJsonObject("config"));
    long planned = plan(config).schedule().endNanos();
    JsonObject ok = new JsonObject();
    ok.addProperty("start_epoch_ms", opened().start(config.directory(), config.load(), planned));
    return ok;
  }

  private JsonObject stop(String reason) {
    opened().stop(reason);
    return new JsonObject();
  }

  private JsonObject finish(JsonObject request) throws IOException {
    if (run == null) {
      return JsonParser.parseString("{\"finals\": [], \"lost\": []}").getAsJsonObject();
    }
    double patience = Json.number(request, "patience_seconds", 0);
    try {
      return run.finish(Duration.ofMillis(Math.round(patience * 1000)));
    } finally {
      close();
    }
  }

  private static JsonObject collect(JsonObject request) throws IOException {
    // Of the run's configuration only the plan: a bundle names no file, variable or address here.
    Plan plan = Plan.read(request.getAsJsonObject("config"));
    List<Path> folders = new ArrayList<>();
    request.getAsJsonArray("folders").forEach(folder -> folders.add(Path.of(folder.getAsString())));
    Path bundle = Path.of(request.get("directory").getAsString());
    return Collect.collect(bundle, folders, plan.schedule().endNanos());
  }

  /** When the load started, as {@link System#nanoTime}; empty without load hosts. */
  OptionalLong startNanos() {
    return run == null ? OptionalLong.empty() : run.startNanos();
  }

  private HostsRun opened() {
    if (run == null) {
      throw new IllegalStateException("hosts-open must come first");
    }
    return run;
  }

  private void tick() {
    HostsRun ticked = run;
    try {
      while (!Thread.currentThread().isInterrupted()) {
        ticked.tick();
        Thread.sleep(TICK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends what is still running, also during a run. */
  @Override
  public void close() {
    // The ticker goes on meanwhile: it reads the generators' last reports.
    if (run != null) {
      run.close();
      run = null;
    }
    if (ticker != null) {
      ticker.interrupt();
      ticker = null;
    }
    if (embedded != null) {
      embedded.close();
      embedded = null;
    }
  }

  /** The engines as a run on load hosts sees them. */
  private record EngineAccess(Engines engines) implements EngineControl {
    @Override
    public Map<Integer, Probe> probe() {
      Map<Integer, Probe> answers = new TreeMap<>();
      engines
          .probe()
          .forEach(
              (number, probe) ->
                  answers.put(number, new Probe(State.valueOf(probe.state().name()), probe.why())));
      return answers;
    }

    @Override
    public Map<Integer, String> start(Path plan, List<Map<String, String>> properties) {
      return engines.start(plan, properties);
    }

    @Override
    public void stop(Collection<Integer> generators) {
      engines.stop(generators);
    }

    @Override
    public void close() {
      engines.close();
    }
  }
}
