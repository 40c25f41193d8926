package io.shardload.remote.controller;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.CollectedFiles;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.metrics.IntervalWriter;
import io.shardload.redis.Redis;
import io.shardload.remote.merge.Merge;
import io.shardload.remote.merge.MergedEnd;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.PackedSecond;
import io.shardload.remote.wire.Timing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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
  public long start(Path bundle, LoadConfig load, long plannedNanos) throws IOException {
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
      meeting.start(into, load, startMicros, asked + Timing.START_DELAY.toNanos());
      return startMillis;
    } catch (HostsException e) {
      meeting.stop("not-started");
      endEngines();
      throw e;
    }
  }

  /** When the load started, as {@link System#nanoTime}; empty before {@link #start}. */
  public OptionalLong startNanos() {
    return meeting.startNanos();
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

  /**
   * Waits for the first message of every generator, and reports what is wrong with silent ones.
   *
   * @param redis where the generators report
   */
  private record RollCall(
      HostsSetting setting, EngineControl engines, Meeting meeting, String redis, Time time) {
    /**
     * A rehearsal takes a second or two, on an overloaded host over ten: it reports after JMeter
     * has made the engine idle again.
     */
    private static final Duration REHEARSAL_PATIENCE = Duration.ofSeconds(30);

    /** How long other generators may take after one has reported a problem. */
    private static final Duration OTHERS_PATIENCE = Duration.ofSeconds(2);

    private static final String CANNOT_REPORT =
        "its generator cannot report to Redis at %s; engine.log in the host's folder of runs has"
            + " the reason (password, firewall)";

    /** Waits until every generator has reported; one that is opening the target is not silent. */
    SortedMap<Integer, JsonObject> await(
        Function<KnownGenerator, JsonObject> what, boolean rehearsal) {
      long begin = time.nanoTime();
      long look = begin + REHEARSAL_PATIENCE.toNanos();
      long troubled = Long.MAX_VALUE;
      while (true) {
        SortedMap<Integer, JsonObject> said = meeting.said(what);
        SortedMap<Integer, Message.Trouble> troubles = meeting.troubles();
        long now = time.nanoTime();
        if (!troubles.isEmpty()) {
          troubled = Math.min(troubled, now);
          // A problem on one host often affects the other hosts, too.
          if (said.size() + troubles.size() >= setting.hosts().size()
              || now - troubled >= OTHERS_PATIENCE.toNanos()) {
            refuse(troubles);
          }
        }
        if (meeting.trouble() != null) {
          throw new HostsException(2, List.of(meeting.trouble()));
        }
        if (said.size() == setting.hosts().size()) {
          return said;
        }
        HostsException.refuse(2, silent(said.keySet(), now - begin));
        if (rehearsal && now >= look) {
          HostsException.refuse(1, idleAndSilent(said.keySet()));
          look = now + REHEARSAL_PATIENCE.toNanos();
        }
        time.pause();
      }
    }

    private List<String> silent(Set<Integer> present, long waitedNanos) {
      List<String> silent = new ArrayList<>();
      for (int g = 0; g < setting.hosts().size(); g++) {
        long since = Math.min(waitedNanos, meeting.silentNanos(g));
        if (!present.contains(g) && since >= Timing.HELLO_PATIENCE.toNanos()) {
          silent.add(
              setting.line(
                  g,
                  "no message from its generator for " + Timing.HELLO_PATIENCE.toSeconds() + " s"));
        }
      }
      return silent;
    }

    /** Generators whose rehearsal has ended without a report: they do not reach Redis. */
    private List<String> idleAndSilent(Set<Integer> present) {
      return engines.probe().entrySet().stream()
          .filter(probe -> !present.contains(probe.getKey()))
          .filter(probe -> probe.getValue().state() == EngineControl.State.IDLE)
          .map(probe -> setting.line(probe.getKey(), CANNOT_REPORT.formatted(redis)))
          .toList();
    }

    private void refuse(SortedMap<Integer, Message.Trouble> troubles) {
      boolean wrong = troubles.values().stream().anyMatch(trouble -> trouble.exit() == 1);
      HostsException.refuse(
          wrong ? 1 : 2,
          troubles.values().stream().map(t -> setting.line(t.generator(), t.message())).toList());
    }
  }

  /** What generators report during a run, on its way into the bundle. Not thread-safe. */
  static final class Collection implements Closeable {
    private final List<CollectedFiles> files = new ArrayList<>();
    private final SortedMap<Integer, JsonObject> finals = new TreeMap<>();
    private final Merge merge;
    private final long startEpochMillis;
    private final Path bundle;

    /**
     * Creates the files; they must not exist.
     *
     * @param startEpochMillis the agreed start on the meeting point's clock
     * @param plannedNanos how long the run is to take
     */
    Collection(Path bundle, int generators, long startEpochMillis, long plannedNanos)
        throws IOException {
      this.startEpochMillis = startEpochMillis;
      this.bundle = bundle;
      int seconds = IntervalWriter.secondsPerInterval(plannedNanos);
      for (int g = 0; g < generators; g++) {
        files.add(new CollectedFiles(bundle, g, seconds, IntervalWriter.MOST_INTERVALS));
      }
      // Last: a reader that finds the merged stream also finds the other files.
      this.merge = new Merge(bundle, generators, startEpochMillis, plannedNanos, true);
    }

    /** Takes a second; false if it is already known. */
    boolean second(PackedSecond second) throws IOException {
      CollectedFiles of = files.get(second.generator());
      if (!of.isNew(second.line())) {
        return false;
      }
      of.journal(second.journalOffset(), second.journal());
      of.line(second.line());
      merge.add(second.generator(), second.line(), second::addTo);
      return true;
    }

    void segments(Message.Segments piece) throws IOException {
      files.get(piece.generator()).histograms(piece.offset(), piece.bytes());
    }

    void end(Message.Final last) throws IOException {
      CollectedFiles of = files.get(last.generator());
      boolean unused = of.isNew(last.line());
      of.finish(last.line(), last.segmentsBytes(), last.journalBytes());
      finals.put(last.generator(), last.line());
      merge.gone(last.generator());
    }

    /** Why a generator cannot go on, in its own words. */
    void error(int generator, String message) {
      BundleFiles.writeError(bundle, generator, message);
    }

    /** Nothing more of this generator is awaited. */
    void gone(int generator) {
      merge.gone(generator);
    }

    void writeComplete() {
      merge.writeComplete();
    }

    void writeOverdue(long nowNanos) {
      merge.writeOverdue(nowNanos);
    }

    /** Writes what is left, and the final line of the merged stream. */
    void finish() {
      merge.finish(MergedEnd.of(finals, files.size(), startEpochMillis));
    }

    @Override
    public void close() throws IOException {
      for (CollectedFiles of : files) {
        of.close();
      }
      merge.close();
    }
  }
}
