package io.shardload.cli;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Sha256;
import io.shardload.Version;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.WholeFile;
import io.shardload.dataset.DataSet;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.SharedMachine;
import io.shardload.driver.Target;
import io.shardload.generator.HostFacts;
import io.shardload.generator.RunConfig;
import io.shardload.topology.ShardShare;
import io.shardload.verify.CheckedRun;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** What a reader must know to trust and to repeat a run: {@code environment.json}. No secrets. */
record Environment(JsonObject json) {
  private static final String PLUGIN = "shardload-jmeter.jar";
  private static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .create();

  /**
   * @param lateReplicas the answer of {@link Target#awaitReplicas}
   */
  static Environment of(RunConfig config, Target target, DataSet dataSet, String lateReplicas)
      throws CallFailure, IOException {
    JsonObject json = new JsonObject();
    JsonObject server = server(target.server());
    server.add("machines", GSON.toJsonTree(target.machines()));
    target.topology().ifPresent(topology -> server.add("topology", topology.toJson()));
    List<ShardShare> placement = placement(config, target);
    if (!placement.isEmpty()) {
      server.add("placement", ShardShare.toJson(placement));
    }
    json.add("server", server);
    if (target.keepsData()) {
      json.add("durability", target.durability().toJson());
    }
    json.add("target", target(config, target));
    json.add("generator", generator());
    json.add("schema", tree(schema(config, target)));
    json.add("client", tree(target.clientSettings()));
    json.add("data", data(config, target));
    if (target.keepsData() && config.model().followsDocuments()) {
      json.addProperty("rows_at_start", dataSet.live());
    }
    if (!lateReplicas.isEmpty()) {
      json.addProperty("late_replicas", lateReplicas);
    }
    json.addProperty("seed", config.seed());
    json.add("jars", jars());
    json.addProperty("shardload_version", Version.current());
    return new Environment(json);
  }

  /**
   * What was asked for, and in its place what the server has; nothing where nothing may be asked.
   */
  private static Map<String, String> schema(RunConfig config, Target target) throws CallFailure {
    Map<String, String> all = new TreeMap<>(config.model().schema());
    if (!all.isEmpty()) {
      all.putAll(target.schema());
    }
    return all;
  }

  /** With the answers of the workload's checks before the run. */
  Environment checked(JsonArray answers) {
    CheckedRun.keep(answers, json);
    return this;
  }

  void write(Path directory) throws IOException {
    WholeFile.writeJson(new BundleLayout(directory).environment(), json);
  }

  /** Costs at most a statement timeout; a run does without it. */
  private static List<ShardShare> placement(RunConfig config, Target target) {
    try {
      return target.keepsData()
          ? config.model().placement(target, config.load().generators())
          : List.of();
    } catch (CallFailure e) {
      System.err.println("the share of each shard is not recorded: " + e.getMessage());
      return List.of();
    }
  }

  private static JsonObject data(RunConfig config, Target target) throws CallFailure {
    JsonObject json = tree(config.model().ready(target).describe()).getAsJsonObject();
    json.add("size", config.dataSize());
    return json;
  }

  private static JsonObject server(ServerInfo server) {
    JsonObject json = new JsonObject();
    json.addProperty("name", server.name());
    json.addProperty("version", server.version());
    json.add("settings", tree(server.settings()));
    json.add("changed_settings", tree(server.changed()));
    json.addProperty("durability", server.durability());
    json.addProperty("uniqueness", server.uniqueness());
    return json;
  }

  private static JsonObject target(RunConfig config, Target target) throws CallFailure {
    JsonObject json = new JsonObject();
    List<String> hosts = SharedMachine.hosts(config.target().url());
    json.addProperty("driver", config.target().driver());
    json.addProperty("embedded", !config.target().embedded().isEmpty());
    EmbeddedServers.fake(config.target().embedded())
        .ifPresent(text -> json.addProperty("fake", text));
    json.addProperty("shares_machine", SharedMachine.current().holds(target.dataHosts(), hosts));
    json.addProperty("host", hosts.isEmpty() ? "" : hosts.get(0));
    json.addProperty("keeps_data", target.keepsData());
    json.addProperty("reads_primary", target.readsPrimary());
    return json;
  }

  private static JsonObject generator() {
    JsonObject json = HostFacts.describe();
    json.addProperty("jmeter", Version.jmeter());
    return json;
  }

  /**
   * Adds how many connections the generators of a run opened to each host, according to their last
   * ledger lines (a generator that was lost has none), and what the servers moved between shards
   * while the run was under way.
   */
  static void addAfterRun(Path bundle, Target target) throws IOException {
    Path file = new BundleLayout(bundle).environment();
    List<GeneratorLog> generators = BundleReader.generators(bundle);
    if (!Files.isRegularFile(file) || generators.isEmpty()) {
      return;
    }
    Map<String, Long> byHost = new TreeMap<>();
    for (GeneratorLog generator : generators) {
      if (generator.end() != null) {
        generator.end().connections().forEach((host, n) -> byHost.merge(host, n, Long::sum));
      }
    }
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    json.add("connections_opened", tree(byHost));
    LongSummaryStatistics clock =
        generators.stream()
            .map(GeneratorLog::extent)
            .filter(extent -> extent.lines() > 0)
            .flatMapToLong(
                extent -> LongStream.of(extent.firstEpochMillis(), extent.lastEpochMillis()))
            .summaryStatistics();
    if (clock.getCount() > 0 && json.has("server")) {
      addMoves(
          json.getAsJsonObject("server"),
          target,
          Instant.ofEpochMilli(clock.getMin()),
          Instant.ofEpochMilli(clock.getMax()));
    }
    new Environment(json).write(bundle);
  }

  /** Nothing where nothing can move; what the servers do not report is noted with the reason. */
  private static void addMoves(JsonObject server, Target target, Instant from, Instant to) {
    try {
      target.moves(from, to).ifPresent(moves -> server.add("moves", moves(moves)));
    } catch (CallFailure e) {
      server.addProperty("moves_unknown", e.getMessage());
    }
  }

  private static JsonArray moves(List<Target.Move> moves) {
    JsonArray all = new JsonArray();
    for (Target.Move move : moves) {
      JsonObject json = new JsonObject();
      json.addProperty("at", move.at().toString());
      json.addProperty("from", move.from());
      json.addProperty("to", move.to());
      json.addProperty("chunk", move.chunk());
      all.add(json);
    }
    return all;
  }

  /** SHA-256 of the plugin that makes the load, by its name; empty outside of a checkout. */
  private static JsonObject jars() throws IOException {
    JsonObject json = new JsonObject();
    String hash = pluginHash();
    if (!hash.isEmpty()) {
      json.addProperty(PLUGIN, hash);
    }
    return json;
  }

  /** SHA-256 of the plugin that makes the load; empty outside of a checkout. */
  static String pluginHash() throws IOException {
    Path root = Path.of(System.getenv().getOrDefault("SHARDLOAD_ROOT", ""));
    Path jar = root.resolve(".shardload/jmeter/lib/ext").resolve(PLUGIN);
    return Files.isRegularFile(jar) ? Sha256.of(Files.readAllBytes(jar)) : "";
  }

  private static JsonElement tree(Map<String, ?> map) {
    return GSON.toJsonTree(map);
  }
}
