package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.bundle.VerificationMode;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.Session;
import io.shardload.driver.TargetConfig;
import io.shardload.exposition.MetricsConfig;
import io.shardload.faults.Fault;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Mix;
import io.shardload.workload.Model;
import io.shardload.workload.statements.StatementsWorkload;
import io.shardload.workload.statements.folder.ShippedFolder;
import io.shardload.workload.statements.port.StatementSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The effective configuration of a run, checked: everything that can be wrong without a connection
 * has been refused.
 *
 * @param profile name of how hard and how long, or empty
 * @param directory of the run bundle
 * @param verification which documents are read back after the run
 * @param dataSize how the number of documents came about, for the run bundle
 * @param redisUrl where several generators share ordinals, or empty
 * @param hosts the load hosts; null if the run has none
 * @param metrics where the run serves metrics; null for nowhere
 * @param samplesMachine whether the generators sample their own machines
 * @param watchesSessions whether the controller watches what the load's sessions do in the servers
 * @param faults that the controller injects, in order of time
 */
public record RunConfig(
    String runId,
    String profile,
    Path directory,
    TargetConfig target,
    Driver driver,
    String redisUrl,
    String redisPasswordEnv,
    String workload,
    long seed,
    Model<?> model,
    JsonObject dataSize,
    Mix mix,
    LoadConfig load,
    VerificationMode verification,
    Hosts hosts,
    MetricsConfig metrics,
    boolean samplesMachine,
    boolean watchesSessions,
    List<Fault> faults) {
  private static final String LOCAL = "local";
  private static final String WATCH = "watch";
  private static final String OFF = "off";

  /** Reads the whole configuration; every unknown key is refused. */
  public static RunConfig read(JsonObject json) {
    Options root = new Options("", ShippedFolder.complete(json));
    Options run = root.section("run");
    Options targetSection = root.section("target");
    TargetConfig target = TargetConfig.read(targetSection, root.subtree("schema"));
    Options redis = targetSection.section("redis");
    Driver driver = driver(target.driver());
    Options work = root.section("workload");
    List<String> systems = driver.systems().stream().map(StatementSystem::name).toList();
    StatementsWorkload workload =
        StatementsWorkload.read(root, work, systems, run.flag("allow_writes", false));
    long seed = work.integer("seed", 1, Long.MIN_VALUE, Long.MAX_VALUE);
    Parts parts = new Parts();
    ConfigException.all(
        () -> driver.check(target),
        () -> work.section("data").whole(data -> parts.model = workload.model(seed, data)),
        () -> parts.mix = Mix.read(root.section("mix"), workload.transactions()));
    RunConfig config =
        new RunConfig(
            run.text("id", "none"),
            run.text("profile", ""),
            Path.of(run.text("directory", ".")),
            target,
            driver,
            redis.text("url", ""),
            redis.text("password-env", ""),
            workload.name(),
            seed,
            parts.model.of(parts.mix.names()),
            work.subtree(DataSize.SECTION),
            parts.mix,
            LoadConfig.read(root.section("load")),
            VerificationMode.of(
                run.choice(
                    "verification", VerificationMode.ALL.label(), VerificationMode.labels())),
            root.has("hosts") ? Hosts.read(root.section("hosts")) : null,
            root.has("metrics") ? MetricsConfig.read(root.section("metrics")) : null,
            root.choice("host_metrics", OFF, List.of(LOCAL, OFF)).equals(LOCAL),
            root.choice("server_sessions", OFF, List.of(WATCH, OFF)).equals(WATCH),
            Fault.read(root));
    List.of(DataSize.SERVER_RAM, "embedded-disk").forEach(targetSection::text);
    targetSection.subtree("embedded-settings");
    skipOthers(root, run);
    List.of(root, run, targetSection, redis, work).forEach(Options::rejectUnknown);
    return config;
  }

  /** What is read in one go, so that all problems are reported together. */
  private static final class Parts {
    private Model<?> model;
    private Mix mix;
  }

  /** The part that the controller and the judges read. */
  private static void skipOthers(Options root, Options run) {
    List.of("series", "name", "note").forEach(run::text);
    run.subtree("tags");
    root.subtree("shardload");
    root.text("scenario");
    root.text("schedule_hash");
    root.sections("criteria");
    root.sections("server_hosts");
    List.of("store", "price").forEach(root::subtree);
  }

  /** Whether the controller injects faults into the target. */
  public boolean hasFaults() {
    return !faults.isEmpty();
  }

  /** The connection requirements of this run. */
  public Session session() {
    return new Session(runId, load.workers(), load.statementTimeout());
  }

  public static List<Driver> drivers() {
    List<Driver> all = new ArrayList<>();
    ServiceLoader.load(Driver.class, RunConfig.class.getClassLoader()).forEach(all::add);
    return all;
  }

  /**
   * The driver of a name.
   *
   * @throws ConfigException there is none
   */
  public static Driver driver(String name) {
    List<String> known = new ArrayList<>();
    for (Driver driver : drivers()) {
      if (driver.name().equals(name)) {
        return driver;
      }
      known.add(driver.name());
    }
    throw ConfigException.unknown("target.driver", "driver", name, known);
  }
}
