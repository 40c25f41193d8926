package io.shardload.bundle;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostsFile;
import io.shardload.bundle.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes a run bundle as the generators and the controller do, with the histogram library's own log
 * writer. A part that is set to null is left out.
 */
public final class BundleFixture {
  public static final long START_EPOCH_MILLIS = 1_790_000_000_000L;

  /** What a histogram can hold at most. */
  private static final long LONGEST_NANOS = 60_000_000_000L;

  public final Path directory;
  public long startEpochMillis = START_EPOCH_MILLIS;
  public final Map<Integer, Generator> generators = new TreeMap<>();
  public JsonObject run =
      parse(
          "{'run':{'id':'20260921-000000-t-smoke','profile':'smoke'},"
              + "'target':{'name':'t','driver':'postgresql'},"
              + "'workload':{'name':'document-store','seed':1},'mix':{'update':100},"
              + "'load':{'model':'open','workers':8,'generators':1,'segments':[],'limits':{},"
              + "'rate_profile':true},'schedule_hash':'c0ffee',"
              + "'shardload':{'version':'0.1.0','commit':'abc'}}");
  public JsonObject environment =
      parse("{'generator':{'cpus':2},'target':{'embedded':false,'shares_machine':false}}");
  public JsonObject verification =
      parse("{'verdict':'clean','walked':100,'expected':100,'counts':{'lost':0,'stale':0}}");
  public JsonObject outcome =
      parse("{'interrupted':false,'stopped_by':null,'lost_generators':[],'criteria':[]}");

  /** What the machines did; not known if null. */
  public HostMetrics hostMetrics;

  /** Whether the generators' intervals are in one merged stream, as in a run with load hosts. */
  private boolean merged;

  public BundleFixture(Path directory) {
    this.directory = directory;
  }

  /** Makes it the bundle of a run with load hosts; each has two cores. */
  public BundleFixture hosts(String... hosts) {
    merged = true;
    load().addProperty("generators", hosts.length);
    JsonObject section = parse("{'list':[],'on_generator_loss':'stop'}");
    environment.add("generators", new JsonArray());
    for (String host : hosts) {
      section.getAsJsonArray("list").add(host);
      environment.getAsJsonArray("generators").add(parse("{'cpus':2,'shares_machine':false}"));
    }
    run.add("hosts", section);
    return this;
  }

  /** What a load host says of itself. */
  public JsonObject facts(int generator) {
    return environment.getAsJsonArray("generators").get(generator).getAsJsonObject();
  }

  /** The controller gave a generator up; {@code lastSeconds} is how long it was heard of. */
  public BundleFixture lost(int generator, double lastSeconds) {
    outcome.getAsJsonArray("lost_generators").add(generator);
    JsonObject loss = new JsonObject();
    loss.addProperty("generator", generator);
    loss.addProperty("last_ns", Math.round(lastSeconds * 1e9));
    JsonArray losses = Json.array(outcome, "losses").deepCopy();
    losses.add(loss);
    outcome.add("losses", losses);
    return this;
  }

  public static JsonObject parse(String singleQuoted) {
    return JsonParser.parseString(singleQuoted.replace('\'', '"')).getAsJsonObject();
  }

  public static JsonArray list(String singleQuoted) {
    return parse("{'list':[" + singleQuoted + "]}").getAsJsonArray("list");
  }

  public static JsonObject read(Path json) throws IOException {
    return JsonParser.parseString(Files.readString(json)).getAsJsonObject();
  }

  /** The texts of an array. */
  public static List<String> texts(JsonObject json, String key) {
    return Json.array(json, key).asList().stream().map(JsonElement::getAsString).toList();
  }

  private boolean open() {
    return !Json.text(load(), "model", "").equals("closed");
  }

  public JsonObject load() {
    return run.getAsJsonObject("load");
  }

  /** Plans a segment after those before it, at one rate. */
  public BundleFixture segment(String name, String kind, double seconds, double rate) {
    JsonObject segment = new JsonObject();
    segment.addProperty("name", name);
    segment.addProperty("kind", kind);
    segment.addProperty("seconds", seconds);
    if (!Double.isNaN(rate)) {
      segment.addProperty("from_rate", rate);
      segment.addProperty("to_rate", rate);
    }
    load().getAsJsonArray("segments").add(segment);
    return this;
  }

  public Generator generator(int number) {
    return generators.computeIfAbsent(number, Generator::new);
  }

  public Path write() throws IOException {
    Files.createDirectories(directory.resolve("latencies"));
    json("run.json", run);
    json("environment.json", environment);
    json("verification.json", verification);
    json("outcome.json", outcome);
    if (hostMetrics != null) {
      WholeFile.write(directory.resolve("hosts.json"), out -> HostsFile.write(hostMetrics, out));
    }
    for (Generator generator : generators.values()) {
      generator.write();
    }
    if (merged) {
      writeMerged();
    }
    return directory;
  }

  private void writeMerged() throws IOException {
    Generator all = new Generator(GeneratorLog.MERGED);
    for (Generator one : generators.values()) {
      one.seconds.forEach(
          (second, segments) ->
              segments.forEach(
                  (segment, cells) ->
                      cells.forEach(
                          (transaction, cell) ->
                              LedgerSum.addCounters(
                                  cell, all.cell(second, segment, transaction)))));
      one.recorded.forEach(
          (second, byTag) -> byTag.forEach((tag, part) -> add(part, all.recorded(second, tag))));
    }
    all.stopReason = "";
    all.write("merged", all.recorded, false);
  }

  private static void add(Map<Long, Long> part, Map<Long, Long> sum) {
    part.forEach((nanos, n) -> sum.merge(nanos, n, Long::sum));
  }

  private void json(String name, JsonObject json) throws IOException {
    if (json != null) {
      Files.writeString(directory.resolve(name), json.toString());
    }
  }

  /** One generator's files, filled second by second. */
  public final class Generator {
    final int number;
    public String stopReason = "schedule";
    public boolean ended = true;
    public double endSeconds = -1;
    public long cpuNanosPerSecond = 100_000_000;

    /** Pauses of garbage collection; not said if negative. */
    public long gcNanosPerSecond = -1;

    /** CPU time of the JIT compilers; not said if negative. */
    public long jitNanosPerSecond = -1;

    /** By how much its warm-up, the first segment, was prolonged. */
    public int prolongedSeconds;

    public double clockStepMillis = Double.NaN;
    public JsonObject connections = new JsonObject();
    public JsonObject errorSamples = new JsonObject();
    public int workersEndedEarly;
    public long retired;
    public String workerError = "";
    public String metricsError = "";
    public Issued issued;
    public int workers = 4;

    /** By segment; not said if null. */
    public JsonObject busyNanos;

    /** Of the seconds from the first; not said of others. */
    public long[] backlog = {};

    /** More fields of ledger lines by second, in place of those that the fixture writes. */
    public final Map<Integer, JsonObject> more = new TreeMap<>();

    /** Whether calls of which a test records no time get one: see {@link LeftOut}. */
    public boolean timed = true;

    final Map<Integer, Map<String, Map<String, JsonObject>>> seconds = new TreeMap<>();

    /** By second and tag: how often each latency was recorded, by its nanoseconds. */
    final Map<Integer, Map<String, Map<Long, Long>>> recorded = new TreeMap<>();

    private final JsonObject scheduled = new JsonObject();

    Generator(int number) {
      this.number = number;
    }

    /** Adds to counters of a second, {@code "done", 5}. */
    public Generator count(int second, String segment, String transaction, String field, long n) {
      JsonObject cell = cell(second, segment, transaction);
      cell.addProperty(field, Json.integer(cell, field, 0) + n);
      return this;
    }

    public Generator error(int second, String segment, String transaction, String kind, long n) {
      JsonObject cell = cell(second, segment, transaction);
      if (!cell.has("errors")) {
        cell.add("errors", new JsonObject());
      }
      JsonObject errors = cell.getAsJsonObject("errors");
      errors.addProperty(kind, Json.integer(errors, kind, 0) + n);
      return this;
    }

    /** {@code n} arrivals that were never begun, and how long each had waited. */
    public Generator dropped(int second, String segment, String transaction, long nanos, long n) {
      scheduled(segment, transaction, n).count(second, segment, transaction, "dropped", n);
      return latency(second, segment, transaction, "dropped", nanos, n);
    }

    /** What the final line says was due. */
    public Generator scheduled(String segment, String transaction, long n) {
      if (!scheduled.has(segment)) {
        scheduled.add(segment, new JsonObject());
      }
      JsonObject cell = scheduled.getAsJsonObject(segment);
      cell.addProperty(transaction, Json.integer(cell, transaction, 0) + n);
      return this;
    }

    /** {@code n} operations that were scheduled, begun and done in time, without latencies. */
    public Generator done(int second, String segment, String transaction, long n) {
      scheduled(segment, transaction, n);
      for (String field : new String[] {"started", "done", "on_time", "rows"}) {
        count(second, segment, transaction, field, n);
      }
      return this;
    }

    /** Records a latency {@code n} times. */
    public Generator latency(
        int second, String segment, String transaction, String series, long nanos, long n) {
      recorded(second, segment + "/" + transaction + "/" + series)
          .merge(Math.min(nanos, LONGEST_NANOS), n, Long::sum);
      JsonObject cell = cell(second, segment, transaction);
      if (nanos > LONGEST_NANOS) {
        JsonObject overflow = Json.object(cell, "overflow");
        overflow.addProperty(series, n + Json.integer(overflow, series, 0));
        cell.add("overflow", overflow);
      }
      if (!cell.has("max_ns")) {
        cell.add("max_ns", new JsonObject());
      }
      JsonObject max = cell.getAsJsonObject("max_ns");
      max.addProperty(series, Math.max(nanos, Json.integer(max, series, 0)));
      return this;
    }

    /** What the generator records of itself: {@code hiccup} or {@code late}, {@code n} times. */
    public Generator own(int second, String segment, String series, long nanos, long n) {
      recorded(second, segment + "/generator/" + series).merge(nanos, n, Long::sum);
      return this;
    }

    private Map<Long, Long> recorded(int second, String tag) {
      return recorded
          .computeIfAbsent(second, key -> new TreeMap<>())
          .computeIfAbsent(tag, key -> new HashMap<>());
    }

    private JsonObject cell(int second, String segment, String transaction) {
      return seconds
          .computeIfAbsent(second, key -> new TreeMap<>())
          .computeIfAbsent(segment, key -> new TreeMap<>())
          .computeIfAbsent(transaction, key -> new JsonObject());
    }

    private void write() throws IOException {
      if (timed && ended) {
        LeftOut.recordTimes(this, open());
      }
      if (merged) {
        write("generator-" + number, bySegment(), true);
      } else {
        write("generator-" + number, recorded, false);
      }
    }

    /** What a load host sends at its end: one histogram per tag; nothing, if it was lost. */
    private Map<Integer, Map<String, Map<Long, Long>>> bySegment() {
      Map<String, Map<Long, Long>> sums = new TreeMap<>();
      for (Map<String, Map<Long, Long>> byTag : recorded.values()) {
        byTag.forEach((tag, part) -> add(part, sums.computeIfAbsent(tag, key -> new HashMap<>())));
      }
      return ended ? Map.of(0, sums) : Map.of();
    }

    /**
     * @param atEnd the histograms lie behind all ledger lines
     */
    private void write(
        String stream, Map<Integer, Map<String, Map<Long, Long>>> recorded, boolean atEnd)
        throws IOException {
      ByteArrayOutputStream hlog = new ByteArrayOutputStream();
      PrintStream printed = new PrintStream(hlog, true, StandardCharsets.UTF_8);
      HistogramLogWriter writer = new HistogramLogWriter(printed);
      writer.outputLogFormatVersion();
      Histogram written = new Histogram(64, LONGEST_NANOS, 3);
      StringBuilder lines = new StringBuilder();
      int last = seconds.isEmpty() ? -1 : ((TreeMap<Integer, ?>) seconds).lastKey();
      for (int second = 0; second <= last; second++) {
        int at = second;
        recorded
            .getOrDefault(second, Map.of())
            .forEach(
                (tag, latencies) -> {
                  written.reset();
                  latencies.forEach(written::recordValueWithCount);
                  written.setTag(tag);
                  writer.outputIntervalHistogram(at, at + 1, written, 1e6);
                });
        printed.flush();
        lines.append(line(second, atEnd ? 0 : hlog.size())).append('\n');
      }
      if (ended) {
        lines.append(end(endSeconds < 0 ? last + 1 : endSeconds, hlog.size())).append('\n');
      }
      Path latencies = directory.resolve("latencies");
      Files.write(latencies.resolve(stream + ".hlog"), hlog.toByteArray());
      Files.writeString(latencies.resolve(stream + ".jsonl"), lines);
    }

    private JsonObject line(int second, long bytes) {
      JsonObject line = new JsonObject();
      line.addProperty("generator", number);
      line.addProperty("seq", second);
      line.addProperty("from_ns", second * 1_000_000_000L);
      line.addProperty("to_ns", (second + 1) * 1_000_000_000L);
      line.addProperty("epoch_ms", startEpochMillis + second * 1000L);
      line.addProperty("hlog_bytes", bytes);
      line.addProperty("cpu_ns", cpuNanosPerSecond * (second + 1));
      if (gcNanosPerSecond >= 0) {
        line.addProperty("gc_ns", gcNanosPerSecond * (second + 1));
      }
      if (jitNanosPerSecond >= 0) {
        line.addProperty("jit_ns", jitNanosPerSecond * (second + 1));
      }
      if (open()) {
        line.add("due", LeftOut.due(seconds.getOrDefault(second, Map.of())));
      }
      if (second < backlog.length) {
        line.addProperty("backlog", backlog[second]);
      }
      line.add("segments", Json.PRETTY.toJsonTree(seconds.getOrDefault(second, Map.of())));
      more.getOrDefault(second, new JsonObject()).asMap().forEach(line::add);
      return line;
    }

    private JsonObject end(double actualSeconds, long bytes) {
      JsonObject end = new JsonObject();
      end.addProperty("generator", number);
      end.addProperty("final", true);
      end.addProperty("format", GeneratorLog.FORMAT);
      end.addProperty("stop_reason", stopReason);
      end.addProperty("workers_ended_early", workersEndedEarly);
      end.addProperty("retired", retired);
      end.add("connections", connections);
      end.add("error_samples", errorSamples);
      if (!Double.isNaN(clockStepMillis)) {
        end.addProperty("clock_step_ms", clockStepMillis);
      }
      if (!metricsError.isEmpty()) {
        end.addProperty("metrics_error", metricsError);
      }
      if (!workerError.isEmpty()) {
        end.addProperty("worker_error", workerError);
      }
      end.addProperty("start_epoch_ms", startEpochMillis);
      end.addProperty("actual_end_ns", Math.round(actualSeconds * 1e9));
      JsonObject spans = new JsonObject();
      double from = 0;
      for (var element : load().getAsJsonArray("segments")) {
        JsonObject segment = element.getAsJsonObject();
        double to = from + segment.get("seconds").getAsDouble();
        to += from == 0 ? prolongedSeconds : 0;
        if (from < actualSeconds) {
          JsonArray span = new JsonArray();
          span.add(Math.round(from * 1e9));
          span.add(Math.round(Math.min(to, actualSeconds) * 1e9));
          spans.add(segment.get("name").getAsString(), span);
        }
        from = to;
      }
      end.add("segments_ns", spans);
      if (prolongedSeconds > 0) {
        end.addProperty("prolonged_ns", prolongedSeconds * 1_000_000_000L);
      }
      end.add("scheduled", scheduled);
      end.addProperty("workers", workers);
      if (busyNanos != null) {
        end.add("busy_ns", busyNanos);
      }
      if (issued != null) {
        end.add("issued", issued.toJson());
      }
      end.addProperty("hlog_bytes", bytes);
      return end;
    }
  }
}
