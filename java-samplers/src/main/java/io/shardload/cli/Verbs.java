package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.json.Json;
import io.shardload.calibrate.Calibration;
import io.shardload.capacity.CapacityVerb;
import io.shardload.compare.CompareVerb;
import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.DataState;
import io.shardload.dataset.Replacement;
import io.shardload.driver.Machine;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.generator.DataSize;
import io.shardload.generator.RunConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.history.HistoryVerb;
import io.shardload.report.FinishVerb;
import io.shardload.timeseries.Export;
import io.shardload.timeseries.HostsVerb;
import io.shardload.timeseries.Publish;
import io.shardload.verify.BegunRun;
import io.shardload.verify.CheckedRun;
import io.shardload.verify.RunBundle;
import io.shardload.verify.Verification;
import io.shardload.verify.Verifier;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.FolderDraft;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What the child can be asked to do. The first verb that needs the target opens it and keeps it;
 * servers that it started are stopped when the conversation ends. Verbs run one after another.
 */
final class Verbs implements AutoCloseable {
  private static final int MOST_SHOWN = 1000;

  /** A server may let a query hold up replay for 30 s. */
  private static final Duration REPLICA_PATIENCE = Duration.ofSeconds(60);

  private final EmbeddedServers embedded = new EmbeddedServers();
  private final ParityVerbs parity = new ParityVerbs();
  private final CalibrateVerb calibration = new CalibrateVerb();
  private final HostVerbs hosts = new HostVerbs();
  private final MonitorVerbs monitors = new MonitorVerbs();
  private final MetricsVerbs metrics = new MetricsVerbs();
  private Target target;
  private DataSet dataSet;
  private final FaultVerb faults = new FaultVerb(embedded, metrics::fault);
  private SessionRecorder sessions;
  private String lateReplicas = "";

  JsonObject run(JsonObject request, Listener listener) throws CallFailure, IOException {
    String verb = request.get("verb").getAsString();
    return switch (verb) {
      case "targets" -> TargetsVerb.run(request);
      case "check" -> check(size(request));
      case "start-embedded" ->
          embedded.start(
              request.getAsJsonObject("config").getAsJsonObject("target"),
              path(request, "data_directory"));
      case "size" -> resolve(size(request));
      case "look" -> look(request);
      case "data-state" -> dataState(config(request));
      case "connections" -> connections(config(request));
      case "schema" -> schema(request, listener);
      case "load" -> load(config(request), listener);
      case "begin" -> begin(config(request));
      case "faults-started" -> faults.started(request, hosts);
      case "faults-stop" -> faults.stop();
      case "verify" -> verify(request, listener);
      case "hosts" -> HostsVerb.run(request);
      case "finish" -> FinishVerb.finish(path(request, "directory"));
      case "static" -> FinishVerb.staticPage(path(request, "directory"), path(request, "into"));
      case "calibrate" -> calibration.run(request, () -> target(config(request)), listener);
      case "compare" -> CompareVerb.run(request);
      case "capacity" -> CapacityVerb.run(request);
      case "history" -> HistoryVerb.run(request);
      case "workload-check" -> workloadCheck(request, config(request), target(config(request)));
      case "workload-draft" ->
          new Gson()
              .toJsonTree(target(config(request)).port(FolderDraft.class).draft(listener))
              .getAsJsonObject();
      case "parity-open" -> parity.open(config(request));
      case "parity" -> parity.compare(request, listener);
      case "server-metrics", "server-hosts" -> monitors.run(verb, request, listener);
      case "publish" -> Publish.run(request, listener);
      case "export" -> Export.run(request);
      case "metrics-open", "metrics-started", "metrics-ended", "metrics-close" ->
          metrics.run(verb, request);
      default -> hosts.run(verb, request);
    };
  }

  private static RunConfig config(JsonObject request) {
    return RunConfig.read(request.getAsJsonObject("config"));
  }

  private static DataSize size(JsonObject request) {
    return DataSize.read(request.getAsJsonObject("config"));
  }

  private static Path path(JsonObject request, String name) {
    return Path.of(request.get(name).getAsString());
  }

  private static JsonObject check(DataSize size) {
    RunConfig config =
        size.asksServer() ? size.provisional() : RunConfig.read(size.resolve(OptionalLong.empty()));
    Plan plan = new Plan(new Schedule(config.load(), config.seed()), config.mix(), config.seed());
    JsonObject ok = new JsonObject();
    ok.add("transactions", new Gson().toJsonTree(config.mix().names()));
    ok.addProperty("schedule_hash", plan.hash());
    ok.add("expected", new Gson().toJsonTree(plan.expected()));
    ok.add("data", DataState.options(config.model()));
    ok.add("options", new Gson().toJsonTree(config.model().chosen()));
    return ok;
  }

  /** Returns the section {@code workload} to use from now on. */
  private JsonObject resolve(DataSize size) throws CallFailure {
    OptionalLong ram =
        size.asksServer()
            ? Machine.ramBytes(target(size.provisional()).machines())
            : OptionalLong.empty();
    JsonObject ok = new JsonObject();
    ok.add("workload", size.resolve(ram).get("workload"));
    return ok;
  }

  /**
   * Before a series, whose runs recreate everything: what the server would refuse. It changes
   * nothing.
   */
  private JsonObject look(JsonObject request) throws CallFailure {
    RunConfig config = config(request);
    replacement(request, true).check(target(config), config.model());
    config.model().checkSchema(target(config), true);
    return connections(config);
  }

  /** For a rehearsal: what a run would find. It changes nothing. */
  private JsonObject dataState(RunConfig config) throws CallFailure {
    return DataState.look(target(config), config.workload(), config.model()).toJson();
  }

  /** Before a run: whether the servers are as durable and give as many connections as asked for. */
  private JsonObject connections(RunConfig config) throws CallFailure {
    target(config).checkConnections();
    config.target().checkDurability(target(config));
    return new JsonObject();
  }

  private static Replacement replacement(JsonObject request, boolean asked) {
    var runs = new HashSet<String>();
    Json.array(request, "discard_unsettled").forEach(run -> runs.add(run.getAsString()));
    return new Replacement(asked, runs, Json.flag(request, "replace_foreign"));
  }

  private JsonObject schema(JsonObject request, Listener listener) throws CallFailure {
    RunConfig config = config(request);
    Replacement how = replacement(request, Json.flag(request, "recreate"));
    target(config).warnings().forEach(warning -> listener.note("warning: " + warning));
    dataSet = DataSet.open(target(config), config.workload(), config.model(), how, listener);
    JsonObject ok = new JsonObject();
    ok.addProperty("created", dataSet.created());
    var server = target.server();
    ok.addProperty("server", (server.name() + " " + server.version()).trim());
    return ok;
  }

  private JsonObject load(RunConfig config, Listener listener) throws CallFailure {
    long begin = System.nanoTime();
    long total = config.model().documents();
    long loaded = opened().load(done -> listener.step("load", done, total, "documents"), listener);
    JsonObject ok = new JsonObject();
    ok.addProperty("documents", target(config).keepsData() ? total : 0);
    ok.addProperty("loaded", loaded);
    boolean all = config.model().followed() == config.model().documents();
    if (target(config).keepsData() && config.model().followsDocuments() && all) {
      // Runs insert and delete: how many there are now is another number than the load's.
      ok.addProperty("live", opened().live());
    }
    ok.addProperty("seconds", (System.nanoTime() - begin) / 1e9);
    lateReplicas = target(config).awaitReplicas(REPLICA_PATIENCE);
    if (!lateReplicas.isEmpty()) {
      listener.note("warning: " + lateReplicas);
    }
    return ok;
  }

  private JsonObject begin(RunConfig config) throws CallFailure, IOException {
    BegunRun.refuseLost(config.directory().toAbsolutePath().getParent(), opened().header());
    // The environment first: if it cannot be read, the data set must not stay dirty.
    var before = CheckedRun.before(target(config), config.model(), opened().header());
    Environment.of(config, target(config), opened(), lateReplicas)
        .checked(before)
        .write(config.directory());
    evidence(config, config.directory()).begin(config.mix().names());
    var header = BegunRun.write(config.directory(), opened().begin(config.runId()));
    sessions = SessionRecorder.start(config, metrics::sessions);
    faults.open(config);
    JsonObject ok = new JsonObject();
    ok.addProperty("documents", header.documents());
    ok.addProperty("generation", header.generation());
    return ok;
  }

  private JsonObject verify(JsonObject request, Listener listener) throws CallFailure, IOException {
    endRecording();
    RunConfig config = config(request);
    Verifier verifier = new Verifier(target(config), config.workload(), config.model());
    try (RunBundle bundle = bundle(config, verifier, request)) {
      JsonObject ok = verify(request, config, verifier, bundle.path(), listener);
      if (!bundle.temporary()) {
        ok.addProperty("bundle", bundle.path().toString());
      }
      return ok;
    }
  }

  private JsonObject verify(
      JsonObject request, RunConfig config, Verifier verifier, Path bundle, Listener listener)
      throws CallFailure, IOException {
    VerificationMode mode = mode(request, config, bundle);
    Verification result;
    boolean walk = !request.has("walk") || request.get("walk").getAsBoolean();
    if (!walk) {
      result = verifier.settleOnly(bundle, "interrupted");
    } else if (mode == VerificationMode.NONE) {
      result = verifier.skip(bundle);
    } else {
      Duration timeout = config.load().statementTimeout();
      String name = new Session(bundle.getFileName().toString(), 1, timeout).applicationName();
      result = verifier.verify(bundle, mode, name, timeout.multipliedBy(2), listener);
    }
    if (walk) {
      evidence(config, bundle).end();
    }
    Environment.addAfterRun(bundle, target);
    JsonObject ok = result.toJson();
    ok.addProperty("wrong", result.wrong());
    return ok;
  }

  /**
   * The requested mode, or else the mode of the run's profile. For a run without verification, an
   * explicit request means a complete verification.
   */
  private static VerificationMode mode(JsonObject request, RunConfig config, Path bundle)
      throws IOException {
    if (request.has("verification")) {
      return VerificationMode.of(request.get("verification").getAsString());
    }
    if (!request.has("runs")) {
      return config.verification();
    }
    VerificationMode before = BundleReader.verification(bundle);
    return before == VerificationMode.NONE ? VerificationMode.ALL : before;
  }

  private static RunBundle bundle(RunConfig config, Verifier verifier, JsonObject request)
      throws CallFailure, IOException {
    return request.has("runs")
        ? RunBundle.find(path(request, "runs"), verifier.dataSet())
        : RunBundle.of(config.directory());
  }

  private EvidenceFile evidence(RunConfig config, Path bundle) {
    return new EvidenceFile(bundle, config.model(), target, System::nanoTime);
  }

  private DataSet opened() {
    if (dataSet == null) {
      throw new IllegalStateException("schema must come first");
    }
    return dataSet;
  }

  private Target target(RunConfig config) {
    if (target == null) {
      target = config.driver().open(config.target(), config.session().asController());
    }
    return target;
  }

  private void endRecording() {
    faults.close();
    if (sessions != null) {
      sessions.close();
      sessions = null;
    }
  }

  @Override
  public void close() {
    endRecording();
    calibration.awaitEnd();
    try (embedded; // closed last, because the others are connected to it
        hosts;
        monitors;
        parity;
        metrics) {
      if (target != null) {
        target.close();
      }
    }
  }

  /** The verb {@code calibrate}: what the harness costs, measured on one target. */
  private static final class CalibrateVerb {
    private static final long PATIENCE_SECONDS = 15;

    /** Held during a calibration, so that the caller can wait until it has removed its tables. */
    private final ReentrantLock working = new ReentrantLock();

    JsonObject run(JsonObject request, Supplier<Target> target, Listener listener)
        throws CallFailure, IOException {
      working.lock();
      try {
        return Calibration.run(request, target.get(), listener);
      } catch (InterruptedException e) {
        throw new CallFailure("interrupted", false, false, "the calibration was interrupted");
      } finally {
        working.unlock();
      }
    }

    /** Waits until a calibration that was interrupted has removed what it made. */
    void awaitEnd() {
      try {
        if (!working.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          System.err.println("the calibration does not stop");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The verb {@code workload-check}: what the target's server finds wrong with a workload folder,
   * and sample rows and calls. It touches no data. Problems that need no server were refused when
   * the configuration was read.
   *
   * <p>Answers {@code problems}, a list of lines, and {@code preview}, if the request asks for so
   * many rows and calls and there is no problem.
   */
  private static JsonObject workloadCheck(JsonObject request, RunConfig config, Target target)
      throws CallFailure {
    if (!(config.model() instanceof StatementsModel model)) {
      throw new ConfigException(
          "workload.name", "is not a workload folder: there are no files to check");
    }
    JsonObject ok = new JsonObject();
    var problems = model.problems(target);
    ok.add("problems", new Gson().toJsonTree(problems));
    int shown = (int) Math.min(MOST_SHOWN, Json.integer(request, "preview", 0));
    if (shown > 0 && problems.isEmpty()) {
      ok.add("preview", model.preview(target, shown));
    }
    return ok;
  }
}
