package io.shardload.remote.controller;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.redis.Redis;
import io.shardload.remote.wire.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;

/**
 * A run on load hosts from the first check of its engines to its last line: open it, start it, ask
 * for its status until it is over, close it. {@link #tick} must be called several times a second
 * from the beginning to the end.
 */
public final class HostsRun implements AutoCloseable {
  /** How long engines that are being restarted may take. */
  private static final Duration ENGINE_PATIENCE = Duration.ofSeconds(10);

  private static final Duration ENGINE_PAUSE = Duration.ofMillis(500);

  /**
   * Generators learn of a stop within a second and need some more for running calls and their
   * files.
   */
  private static final Duration LAST_WORDS_PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = Logger.getLogger(HostsRun.class.getName());

  private final HostsSetting setting;
  private final EngineControl engines;
  private final Time time;
  private final ControllerKeys point;
  private final Meeting meeting;
  private final HelloCheck check;
  private final RollCall rollCall;
  private volatile boolean enginesStarted;

  /** Takes over the connection and the engines, and closes both. */
  public HostsRun(HostsSetting setting, Redis redis, EngineControl engines, Time time) {
    this.setting = setting;
    this.engines = engines;
    this.time = time;
    this.point = new ControllerKeys(redis, setting.keys());
    this.meeting = new Meeting(point, setting.hosts(), setting.continueOnLoss(), time);
    this.check = new HelloCheck(setting.hosts());
    this.rollCall = new RollCall(setting, engines, meeting, point.address(), time);
  }

  /** Does what is due now: see {@link Meeting#tick}. */
  public void tick() {
    meeting.tick();
  }

  /**
   * Checks whether every host could take part, without any load.
   *
   * @return {@code generators} with their facts, and {@code notes}
   * @throws HostsException a host cannot take part
   */
  public JsonObject open() {
    point.open(setting.hosts().size());
    awaitIdle();
    SortedMap<Integer, JsonObject> said;
    try {
      said = startEngines(true, member -> member.rehearsal);
    } catch (HostsException e) {
      endEngines();
      throw e;
    }
    HostsException.refuse(1, check.compare(setting.own(), said));
    awaitIdle();
    enginesStarted = false;
    JsonObject ok = new JsonObject();
    ok.add("generators", facts(said, false));
    ok.add("notes", Json.strings(check.notes(said)));
    return ok;
  }

  /**
   * Starts the load on all hosts at the same moment.
   *
   * @param bundle receives what they report
   * @param plannedNanos how long the run is to take
   * @return the agreed start, milliseconds of Redis's clock
   */
  public long start(Path bundle, long plannedNanos) throws IOException {
    try {
      SortedMap<Integer, JsonObject> said = startEngines(false, member -> member.hello);
      List<String> problems = check.compare(setting.own(), said);
      problems.addAll(check.compareFound(said));
      HostsException.refuse(1, problems);
      writeEnvironment(bundle, said);
      long before = time.nanoTime();
      long startMicros = point.timeMicros() + Timing.START_DELAY.toMillis() * 1000;
      long asked = before + (time.nanoTime() - before) / 2;
      long startMillis = startMicros / 1000;
      Collection into = new Collection(bundle, setting.hosts().size(), startMillis, plannedNanos);
      meeting.start(into, startMicros, asked + Timing.START_DELAY.toNanos());
      return startMillis;
    } catch (HostsException e) {
      meeting.stop("not-started");
      endEngines();
      throw e;
    }
  }

  /** Waits for engines that are being restarted, or end another run. */
  private void awaitIdle() {
    long deadline = time.nanoTime() + ENGINE_PATIENCE.toNanos();
    while (true) {
      Map<Integer, EngineControl.Probe> probes = engines.probe();
      List<String> problems = new ArrayList<>();
      boolean refused = false;
      for (var probe : probes.entrySet()) {
        EngineControl.State state = probe.getValue().state();
        refused |= state == EngineControl.State.REFUSED;
        if (state != EngineControl.State.IDLE) {
          problems.add(setting.line(probe.getKey(), probe.getValue().why()));
        }
      }
      if (problems.isEmpty()) {
        return;
      }
      if (refused || time.nanoTime() >= deadline) {
        throw new HostsException(refused ? 1 : 2, problems);
      }
      pause(ENGINE_PAUSE);
    }
  }

  private void pause(Duration duration) {
    long end = time.nanoTime() + duration.toNanos();
    while (time.nanoTime() < end) {
      time.pause();
    }
  }

  private SortedMap<Integer, JsonObject> startEngines(
      boolean rehearsal, Function<KnownGenerator, JsonObject> what) {
    // First: a concurrent close must end what was started.
    enginesStarted = true;
    Map<Integer, String> failures =
        engines.start(setting.plan(), setting.engineProperties(rehearsal));
    enginesStarted = failures.isEmpty();
    HostsException.refuse(
        2, failures.entrySet().stream().map(f -> setting.line(f.getKey(), f.getValue())).toList());
    return rollCall.await(what, rehearsal);
  }

  private JsonArray facts(SortedMap<Integer, JsonObject> said, boolean plain) {
    JsonArray all = new JsonArray();
    for (int g = 0; g < setting.hosts().size(); g++) {
      JsonElement facts = said.containsKey(g) ? said.get(g).deepCopy() : JsonNull.INSTANCE;
      if (facts.isJsonObject() && !plain) {
        facts.getAsJsonObject().addProperty("generator", g);
      }
      if (facts.isJsonObject()) {
        // As the user wrote it.
        facts.getAsJsonObject().addProperty("host", setting.hosts().get(g));
      }
      all.add(facts);
    }
    return all;
  }

  private void writeEnvironment(Path bundle, SortedMap<Integer, JsonObject> said)
      throws IOException {
    Path file = new BundleLayout(bundle).environment();
    JsonObject environment =
        Files.exists(file)
            ? JsonParser.parseString(Files.readString(file)).getAsJsonObject()
            : new JsonObject();
    environment.add("generators", facts(said, true));
    WholeFile.writeJson(file, environment);
  }

  /** The progress of all generators: see {@link Meeting#status}. */
  public JsonObject status() {
    return meeting.status();
  }

  /** Orders all generators to stop; they report to the end. */
  public void stop(String reason) {
    meeting.stop(reason);
  }

  /**
   * Waits for the final lines, and ends what is still running on the engines.
   *
   * @return {@code finals}, {@code lost}, {@code exit}, {@code trouble} and {@code notes}
   */
  public JsonObject finish(Duration patience) throws IOException {
    long deadline = time.nanoTime() + patience.toNanos();
    while (!meeting.isOver() && !meeting.isCutOff() && time.nanoTime() < deadline) {
      time.pause();
    }
    JsonObject ok = meeting.finish();
    List<Integer> lost = new ArrayList<>();
    for (JsonElement one : ok.getAsJsonArray("lost")) {
      lost.add(one.getAsJsonObject().get("generator").getAsInt());
    }
    endEngines(lost);
    return ok;
  }

  /**
   * Ends the tests that it has started on the engines and that may still run. During a run, after
   * the requesting process has died, this first orders the generators to stop and keeps their
   * reports until their end.
   */
  @Override
  public void close() {
    try (point;
        engines) {
      if (enginesStarted) {
        meeting.stop("controller-lost");
      }
      if (meeting.isCollecting()) {
        finish(LAST_WORDS_PATIENCE);
      }
      endEngines();
    } catch (IOException e) {
      LOG.log(Level.SEVERE, "the generators' last reports are not in the bundle", e);
    }
  }

  private void endEngines() {
    endEngines(IntStream.range(0, setting.hosts().size()).boxed().toList());
  }

  private void endEngines(List<Integer> numbers) {
    boolean started = enginesStarted;
    enginesStarted = false;
    if (started && !numbers.isEmpty()) {
      engines.stop(numbers);
    }
  }
}
