package io.shardload.remote.controller;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.redis.Redis;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.RunKeys;
import io.shardload.remote.wire.WireEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Load hosts on a virtual clock with a real Redis: engines that refuse calls that nobody should
 * make, and generators that exchange each second what real ones do.
 */
final class FakeHosts implements EngineControl, Time {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1000 * MILLI;
  static final String TAG = "hold/find/service";

  private final Redis redis;
  private final RunKeys keys;
  final List<Generator> generators = new ArrayList<>();
  final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  final Map<Integer, Probe> probes = new TreeMap<>();
  final Map<Integer, String> failures = new TreeMap<>();
  private final Set<Integer> stoppable = new HashSet<>();
  HostsRun run;
  boolean controllerStands;
  boolean busyOnceStarted;
  private long nanos = 17 * SECOND;
  private long startNanos = -1;

  FakeHosts(Redis redis, String runId, int number) {
    this.redis = redis;
    this.keys = new RunKeys(runId, "n");
    for (int g = 0; g < number; g++) {
      generators.add(new Generator(g));
    }
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void pause() {
    pass(20);
  }

  /** Lets time pass: generators and controller do what is due. */
  void pass(long millis) {
    for (long end = nanos + millis * MILLI; nanos < end; ) {
      nanos += 20 * MILLI;
      generators.forEach(Generator::tick);
      if (nanos % (100 * MILLI) == 0 && !controllerStands) {
        run.tick();
      }
    }
  }

  @Override
  public Map<Integer, Probe> probe() {
    calls.add("probe");
    Map<Integer, Probe> all = new TreeMap<>(probes);
    boolean busy = busyOnceStarted && !stoppable.isEmpty();
    Probe usual = busy ? new Probe(State.BUSY, "runs another test") : new Probe(State.IDLE, "");
    generators.forEach(g -> all.putIfAbsent(g.number, usual));
    return all;
  }

  @Override
  public Map<Integer, String> start(Path plan, List<Map<String, String>> properties) {
    calls.add("start");
    if (!probes.isEmpty()) {
      throw new AssertionError("an engine that is not idle was started");
    }
    if (!failures.isEmpty()) {
      return failures;
    }
    generators.forEach(
        g -> {
          stoppable.add(g.number);
          g.begin(properties.get(g.number));
        });
    return Map.of();
  }

  @Override
  public void stop(Collection<Integer> numbers) {
    calls.add("stop " + numbers);
    if (!stoppable.containsAll(numbers)) {
      throw new AssertionError("an engine was stopped that was never started");
    }
  }

  @Override
  public void close() {
    calls.add("close");
  }

  /** One that does 10 operations in slot 100 a second, and writes 4 bytes of journal. */
  final class Generator {
    final int number;
    final JsonObject facts = new JsonObject();
    Map<String, String> properties = Map.of();
    String trouble = "";
    boolean silent;
    boolean repeats;
    int seconds = 5;
    int compiles;
    int segmentsBytes = 20;
    String stopReason = "schedule";
    private boolean active;
    private boolean rehearsal;
    private int sent;
    private long nextNanos;

    Generator(int number) {
      this.number = number;
      facts.addProperty("run", keys.runId());
      facts.addProperty("generators", 2);
      facts.addProperty("jmeter", "5.6.3");
      facts.addProperty("plugin_sha256", "abc");
      facts.addProperty("schedule_hash", "hash");
      facts.addProperty("cpus", 2);
      facts.addProperty("clock_offset_ms", 3000 * number);
      facts.addProperty("clock_uncertainty_ms", 0.5);
      facts.addProperty("high_water", 100);
      facts.addProperty("generation", 3);
    }

    private void begin(Map<String, String> ofEngine) {
      properties = ofEngine;
      rehearsal = ofEngine.get("shardload.rehearsal").equals("true");
      active = true;
      sent = 0;
      if (silent) {
        return;
      }
      if (!trouble.isEmpty()) {
        send(new Message.Trouble(number, "target.password-env", trouble, 1));
        active = false;
        return;
      }
      JsonObject hello = facts.deepCopy();
      hello.addProperty("rehearsal", rehearsal);
      send(new Message.Hello(number, hello));
    }

    private void send(Message message) {
      redis.xadd(keys.up(), WireEncoder.encode(message));
    }

    private void tick() {
      if (!active || rehearsal || silent || nanos < nextNanos) {
        return;
      }
      Map<String, String> hash = redis.hgetAll(keys.run());
      if (hash.containsKey(RunKeys.lost(number))) {
        return;
      }
      if (startNanos < 0 && hash.containsKey(RunKeys.START_MICROS)) {
        startNanos = nanos + 2 * SECOND;
      }
      nextNanos = nanos + (startNanos < 0 ? 20 * MILLI : SECOND);
      if (startNanos < 0) {
        send(new Message.Beat(number, nanos));
      } else if (nanos < startNanos + SECOND) {
        nextNanos = startNanos + SECOND;
      } else if (hash.containsKey(RunKeys.STOP)) {
        stopReason = hash.get(RunKeys.STOP);
        finish();
      } else {
        second();
        if (sent == seconds) {
          finish();
        }
      }
    }

    void second() {
      SlotCounts counts = new SlotCounts();
      counts.add(100, 10);
      Message.Second second =
          new Message.Second(
              number,
              line(sent, sent + 1),
              List.of(
                  new Message.Histogram(TAG, counts),
                  new Message.Histogram("hold/generator/late", counts)),
              4L * sent,
              "jjjj".getBytes(StandardCharsets.UTF_8));
      sent++;
      send(second);
      if (repeats) {
        send(second);
      }
    }

    private JsonObject line(int from, int to) {
      JsonObject line =
          BundleFixture.parse("{'segments':{'hold':{'find':{'started':20,'done':9,'missing':1}}}}");
      line.addProperty("generator", number);
      line.addProperty("seq", from);
      line.addProperty("from_ns", from * SECOND);
      line.addProperty("to_ns", to * SECOND);
      line.addProperty("cpu_ns", to * SECOND / 2);
      line.addProperty("gc_ns", to * SECOND / 100);
      line.addProperty("backlog", 4);
      if (to <= compiles) {
        line.addProperty("jit_busy", true);
      }
      return line;
    }

    void finish() {
      byte[] bytes = "0123456789".getBytes(StandardCharsets.UTF_8);
      send(new Message.Segments(number, 0, bytes));
      send(new Message.Segments(number, 10, bytes));
      send(new Message.Segments(number, 10, bytes));
      JsonObject last = line(sent, sent);
      last.remove("segments");
      last.addProperty("final", true);
      last.addProperty("stop_reason", stopReason);
      last.addProperty("actual_end_ns", sent * SECOND);
      JsonObject spans = new JsonObject();
      JsonArray span = new JsonArray();
      span.add(0);
      span.add(sent * SECOND);
      spans.add("hold", span);
      last.add("segments_ns", spans);
      Message.Final end = new Message.Final(number, last, segmentsBytes, 4L * sent);
      send(end);
      send(end);
      active = false;
    }
  }

  /** Of both engines, as Python gives it. */
  static HostsSetting setting(String runId, boolean continueOnLoss) {
    JsonObject own = new JsonObject();
    own.addProperty("run", runId);
    own.addProperty("generators", 2);
    own.addProperty("jmeter", "5.6.3");
    own.addProperty("schedule_hash", "hash");
    return new HostsSetting(
        new RunKeys(runId, "n"),
        List.of("a:1099", "b:1099"),
        continueOnLoss,
        BundleFixture.parse("{'load':{'workers':5,'generator':0,'generators':2}}"),
        Path.of("plan.jmx"),
        new HashMap<>(Map.of("more", "x")),
        own);
  }
}
