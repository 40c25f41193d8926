package io.shardload.report;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Bundles that look like real runs, from a simulated queue: arrivals at a constant rate, workers
 * that take them in order, service times with a long tail that grow with the load. Seeded, so that
 * the pages can be compared by eye from one version to the next.
 */
final class ExampleRuns {
  private static final Map<String, Map<String, byte[]>> WRITTEN = new TreeMap<>();
  private static final Map<String, Double> MIX = new TreeMap<>();

  static {
    MIX.put("update", 5.0);
    MIX.put("delete", 5.0);
    MIX.put("insert", 20.0);
    MIX.put("find-by-id-and-filter1", 3.5);
    MIX.put("find-by-id-and-filter2", 7.0);
    MIX.put("find-by-id-and-filter2-list", 28.0);
    MIX.put("find-by-id-and-filter3-lte", 0.7);
    MIX.put("find-by-id-and-filter4-list", 28.0);
    MIX.put("find-by-id-and-filter4-and-filter5-list", 0.7);
    MIX.put("find-by-id-and-filter5", 2.1);
  }

  private final BundleFixture fixture;
  private final SplittableRandom random = new SplittableRandom(7);
  private double meanMillis = 2.2;
  private double failShare = 0.0002;
  private double stallAt = Double.NaN;
  private int generator;

  private ExampleRuns(Path directory, String id, String profile) {
    fixture = new BundleFixture(directory);
    JsonObject run = fixture.run.getAsJsonObject("run");
    run.addProperty("id", id);
    run.addProperty("profile", profile);
    fixture.run.getAsJsonObject("target").addProperty("name", "embedded-postgresql");
    JsonObject mix = new JsonObject();
    MIX.forEach(mix::addProperty);
    fixture.run.add("mix", mix);
    fixture.run.addProperty("scenario", "mix");
    fixture.load().add("limits", BundleFixture.parse("{'errors_percent':1,'p99_ms':50}"));
    fixture.environment =
        BundleFixture.parse(
            "{'server':{'name':'PostgreSQL','version':'18.6','durability':'fsync=on,"
                + " synchronous_commit=on','settings':{'shared_buffers':'128MB','max_connections':"
                + "'100'}},'target':{'embedded':true,'shares_machine':true,'keeps_data':true,'reads_primary':true},"
                + "'generator':{'cpus':2,'memory_bytes':8254390272,'os':'Linux 6.1','java':"
                + "'17.0.15','jmeter':'5.6.3'},'client':{'statements':'prepared','connections':"
                + "'pooled'},'durability':{'level':'one disk','words':'synchronous_commit=on, no"
                + " synchronous standby'},'data':{'documents':100000,'tenants':100,'document_size':2048,"
                + "'measured_compression_ratio':2.03},'seed':1,'shardload_version':'0.1.0'}");
    fixture.verification =
        BundleFixture.parse(
            "{'verdict':'clean','reason':null,'walked':104512,'expected':104512,'counts':{'lost':0,"
                + "'resurrected':0,'doubled':0,'foreign':0,'corrupted':0,'stale':0},"
                + "'settled_unknown':0,'findings':[],'seconds':3.4}");
  }

  /** The good run once more, on a server that is a fake. */
  static Path onFake(Path directory, String fake) throws IOException {
    Path run = good(directory);
    Path environment = run.resolve("environment.json");
    JsonObject json = BundleFixture.read(environment);
    json.getAsJsonObject("target").addProperty("fake", fake);
    Files.writeString(environment, json.toString());
    return run;
  }

  /** A minute at 500/s on a target that keeps up, with one short stall. */
  static Path good(Path directory) throws IOException {
    return once("good", directory, ExampleRuns::simulateGood);
  }

  private static ExampleRuns simulateGood(Path directory) {
    ExampleRuns run =
        new ExampleRuns(directory, "20261121-060102-embedded-postgresql-smoke", "smoke");
    run.fixture.segment("warm-up", "warm-up", 10, 500).segment("ramp", "ramp", 10, 500);
    run.fixture.segment("hold", "hold", 40, 500);
    run.stallAt = 33;
    run.fixture.load().add("limits", new JsonObject());
    run.fixture.outcome =
        BundleFixture.parse(
            "{'interrupted':false,'stopped_by':null,'lost_generators':[],'criteria':[{'text':"
                + "'p99 of find-by-id-and-filter1>50ms for 10s, stop as failed','passed':true,"
                + "'detail':''}]}");
    run.simulate(8);
    return run;
  }

  /**
   * Offered a third more than the workers can do: a backlog, dropped arrivals, exit 3. Some calls
   * were stuck for over a minute, some asked nothing.
   */
  static Path overloaded(Path directory) throws IOException {
    ExampleRuns run =
        new ExampleRuns(directory, "20261121-061500-embedded-postgresql-steady", "steady");
    run.fixture.segment("warm-up", "warm-up", 5, 2500).segment("hold", "hold", 40, 5000);
    run.failShare = 0.004;
    run.simulate(8);
    BundleFixture.Generator generator = run.fixture.generator(0);
    generator.done(44, "hold", "insert", 400).count(44, "hold", "insert", "on_time", -400);
    generator.latency(44, "hold", "insert", "service", 70_000_000_000L, 400);
    generator.latency(44, "hold", "insert", "response", 75_000_000_000L, 400);
    generator.latency(44, "hold", "insert", "wait", 5_000_000_000L, 400);
    generator.scheduled("hold", "delete", 90).count(44, "hold", "delete", "started", 90);
    generator.count(44, "hold", "delete", "missing", 90);
    generator.count(44, "hold", "delete", "unasked", 90);
    return run.fixture.write();
  }

  /** Ten steps up to a rate that the target cannot hold. */
  static Path capacity(Path directory) throws IOException {
    return once("capacity", directory, ExampleRuns::simulateCapacity);
  }

  private static ExampleRuns simulateCapacity(Path directory) {
    ExampleRuns run =
        new ExampleRuns(
            directory, "20261121-063000-embedded-postgresql-max-capacity", "max-capacity");
    run.fixture.load().addProperty("rate_profile", false);
    run.fixture.segment("warm-up", "warm-up", 5, 450);
    for (int step = 1; step <= 10; step++) {
      run.fixture.segment("step-" + step, "step", 8, 450 * step);
    }
    run.fixture.segment("hold", "hold", 10, 4500);
    run.simulate(8);
    return run;
  }

  /** The first two of three steps fail, which ends the run in the third. */
  static Path cutShort(Path directory) throws IOException {
    ExampleRuns run =
        new ExampleRuns(
            directory, "20261121-064500-embedded-postgresql-max-capacity", "max-capacity");
    run.fixture.load().addProperty("rate_profile", false);
    run.fixture.load().addProperty("stop_after_failed_steps", 2);
    run.fixture.load().add("limits", BundleFixture.parse("{'errors_percent':1,'p99_ms':2}"));
    run.fixture.segment("warm-up", "warm-up", 3, 400);
    run.fixture.segment("step-1", "step", 8, 400).segment("step-2", "step", 8, 800);
    run.fixture.segment("step-3", "step", 2, 1200);
    run.simulate(8);
    BundleFixture.Generator generator = run.fixture.generator(0);
    generator.stopReason = "stop";
    run.fixture.outcome.addProperty("stopped_by", "failed-steps");
    var segments = run.fixture.load().getAsJsonArray("segments");
    segments.get(3).getAsJsonObject().addProperty("seconds", 8);
    return run.fixture.write();
  }

  /** A crowd that is more than the workers can do, and the time after it. */
  static Path spike(Path directory) throws IOException {
    ExampleRuns run =
        new ExampleRuns(directory, "20261123-063000-embedded-postgresql-spike", "spike");
    run.fixture.segment("warm-up", "warm-up", 4, 450).segment("before", "stage", 15, 450);
    run.ramp("spike-ramp", 4, 450, 3600).segment("spike", "stage", 8, 3600);
    run.ramp("after-ramp", 4, 3600, 450).segment("after", "stage", 25, 450);
    run.simulate(8);
    return run.fixture.write();
  }

  private BundleFixture ramp(String name, double seconds, double fromRate, double toRate) {
    fixture.segment(name, "ramp", seconds, toRate);
    var segments = fixture.load().getAsJsonArray("segments");
    segments.get(segments.size() - 1).getAsJsonObject().addProperty("from_rate", fromRate);
    return fixture;
  }

  /** Three load hosts at 450/s: one is slower, one is lost after 23 s. */
  static Path hosts(Path directory) throws IOException {
    return once("hosts", directory, ExampleRuns::simulateHosts);
  }

  private static ExampleRuns simulateHosts(Path directory) {
    ExampleRuns run = new ExampleRuns(directory, "20261122-061500-citus-steady", "steady");
    BundleFixture fixture = run.fixture;
    fixture.segment("warm-up", "warm-up", 5, 450).segment("hold", "hold", 40, 450);
    fixture.hosts("10.9.0.2:1099", "10.9.0.3:1099", "10.9.0.4:1099");
    fixture.environment.getAsJsonObject("target").addProperty("shares_machine", false);
    for (int i = 0; i < 3; i++) {
      run.generator = i;
      run.meanMillis = i == 1 ? 4 : 2.2;
      run.simulate(4, 3, new double[] {28, 29, 23}[i]);
      BundleFixture.Generator generator = fixture.generator(i);
      generator.cpuNanosPerSecond = 240_000_000L * (i + 1);
      generator.gcNanosPerSecond = 1_500_000L * (i + 1);
      generator.connections = BundleFixture.parse("{'10.9.1.1:5432':4,'10.9.1.2:5432':4}");
      generator.stopReason = i == 1 ? "generator-lost" : "schedule";
      fixture.facts(i).addProperty("clock_offset_ms", new double[] {0.12, -13.4, 2999.6}[i]);
      fixture.facts(i).addProperty("clock_uncertainty_ms", 0.21 + 0.1 * i);
    }
    fixture.generator(0).stopReason = "generator-lost";
    fixture.generator(0).clockStepMillis = 3000;
    fixture.generator(2).ended = false;
    fixture.lost(2, 23);
    return run;
  }

  /** As fast as eight workers can. */
  static Path closed(Path directory) throws IOException {
    ExampleRuns run =
        new ExampleRuns(directory, "20261121-070000-embedded-postgresql-closed", "closed");
    run.fixture.load().addProperty("model", "closed");
    run.fixture.load().addProperty("rate_profile", false);
    run.fixture.segment("warm-up", "warm-up", 5, Double.NaN);
    run.fixture.segment("hold", "hold", 30, Double.NaN);
    run.simulate(8);
    return run.fixture.write();
  }

  /** Documents were lost, one error names a hostile text; exit 4. */
  static Path wrong(Path directory) throws IOException {
    ExampleRuns run =
        new ExampleRuns(directory, "20261121-071500-embedded-postgresql-smoke", "smoke");
    run.fixture.segment("warm-up", "warm-up", 5, 300).segment("hold", "hold", 30, 300);
    run.failShare = 0.01;
    run.simulate(8);
    run.fixture.verification =
        BundleFixture.parse(
            "{'verdict':'wrong','reason':null,'walked':104500,'expected':104512,'counts':{'lost':12,"
                + "'resurrected':1,'doubled':0,'foreign':0,'corrupted':2,'stale':0},"
                + "'settled_unknown':7,'findings':[{'kind':'lost','ordinal':17,'detail':"
                + "'acknowledged insert, not in the table'},{'kind':'lost','ordinal':4711,'detail':"
                + "'acknowledged insert, not in the table'},{'kind':'resurrected','ordinal':90210,"
                + "'detail':'deleted, still there'},{'kind':'corrupted','ordinal':55,'detail':"
                + "'</script><script>document.title=`owned`</script><b>bold</b>'}],'seconds':3.1}");
    return run.fixture.write();
  }

  /** Writes a bundle that was simulated before in this JVM, for that takes seconds. */
  private static synchronized Path once(
      String name, Path directory, Function<Path, ExampleRuns> simulation) throws IOException {
    Map<String, byte[]> files = WRITTEN.get(name);
    if (files == null) {
      simulation.apply(directory).fixture.write();
      files = new TreeMap<>();
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path file : all.filter(Files::isRegularFile).toList()) {
          files.put(directory.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
      WRITTEN.put(name, files);
    }
    for (Map.Entry<String, byte[]> one : files.entrySet()) {
      Path file = directory.resolve(one.getKey());
      Files.createDirectories(file.getParent());
      Files.write(file, one.getValue());
    }
    return directory;
  }

  private void simulate(int workers) {
    simulate(workers, 1, Double.POSITIVE_INFINITY);
  }

  /** The share of one of several generators, until it ends. */
  private void simulate(int workers, int generators, double until) {
    PriorityQueue<Double> free = new PriorityQueue<>();
    for (int i = 0; i < workers; i++) {
      free.add(0.0);
    }
    double from = 0;
    double end = 0;
    for (var element : fixture.load().getAsJsonArray("segments")) {
      end += element.getAsJsonObject().get("seconds").getAsDouble();
    }
    end = Math.min(end, until);
    for (var element : fixture.load().getAsJsonArray("segments")) {
      JsonObject segment = element.getAsJsonObject();
      String name = segment.get("name").getAsString();
      double to = Math.min(until, from + segment.get("seconds").getAsDouble());
      double rate = Json.number(segment, "to_rate", Double.NaN) / generators;
      double fromRate = Json.number(segment, "from_rate", Double.NaN) / generators;
      double slope = (rate - fromRate) / Json.number(segment, "seconds", 1);
      for (int second = (int) from; second < to; second++) {
        fixture.generator(generator).own(second, name, "hiccup", 85_000, 995);
        fixture.generator(generator).own(second, name, "hiccup", 640_000, 5);
      }
      double due = from;
      while (due < to) {
        if (Double.isNaN(rate)) {
          due = Math.max(due, free.peek());
        }
        if (due < to) {
          operation(name, due, to, end, free);
        }
        due += Double.isNaN(rate) ? 0 : 1 / (fromRate + slope * (due - from));
      }
      from = to;
    }
    fixture.generator(generator).endSeconds = end;
  }

  private void operation(
      String segment, double due, double segmentEnd, double runEnd, PriorityQueue<Double> free) {
    BundleFixture.Generator generator = fixture.generator(this.generator);
    String name = draw();
    boolean open = fixture.load().get("model").getAsString().equals("open");
    double start = Math.max(due, free.peek());
    if (start >= runEnd) {
      generator.dropped((int) runEnd - 1, segment, name, Math.round((runEnd - due) * 1e9), 1);
      return;
    }
    if (open) {
      generator.scheduled(segment, name, 1);
    }
    free.poll();
    double[] phases = phases(name, start);
    double service = phases[0] + phases[1] + phases[2];
    free.add(start + service);
    int second = (int) Math.min(runEnd - 1, start + service);
    generator.count(second, segment, name, "started", 1);
    if (open) {
      generator.latency(second, segment, name, "wait", nanos(start - due), 1);
    }
    if (!answered(generator, second, segment, name, start + service <= segmentEnd)) {
      generator.latency(second, segment, name, "failed", nanos(service), 1);
      return;
    }
    String[] series = {"connect", "search", "fetch"};
    for (int i = 0; i < series.length; i++) {
      generator.latency(second, segment, name, series[i], nanos(phases[i]), 1);
    }
    generator.latency(second, segment, name, "service", nanos(service), 1);
    if (open) {
      generator.latency(second, segment, name, "response", nanos(start - due + service), 1);
    }
  }

  private boolean answered(
      BundleFixture.Generator generator, int second, String segment, String name, boolean onTime) {
    if (random.nextDouble() < failShare) {
      boolean unknown = random.nextInt(3) == 0;
      generator.count(second, segment, name, unknown ? "unknown" : "failed", 1);
      generator.error(second, segment, name, unknown ? "timeout" : "serialization-failure", 1);
      return false;
    }
    boolean missing = name.equals("update") && random.nextDouble() < 0.002;
    generator.count(second, segment, name, missing ? "missing" : "done", 1);
    generator.count(second, segment, name, "rows", name.endsWith("-list") ? 9 : 1);
    generator.count(second, segment, name, "on_time", onTime ? 1 : 0);
    return true;
  }

  /** Seconds of connect, search and fetch. */
  private double[] phases(String name, double start) {
    double base = meanMillis / 1000 * (name.endsWith("-list") ? 1.3 : 0.8);
    double tail = Math.exp(0.45 * gaussian());
    double rare = random.nextInt(1500) == 0 ? 12 * random.nextDouble() : 1;
    double stall = Math.abs(start - stallAt) < 0.3 ? 0.25 : 0;
    return new double[] {
      4e-6 + 2e-6 * random.nextDouble(),
      base * tail * Math.max(1, rare) * 0.75 + stall,
      base * tail * (name.startsWith("find") ? 0.25 : 0.01)
    };
  }

  private double gaussian() {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
      sum += random.nextDouble();
    }
    return sum;
  }

  private String draw() {
    double at = random.nextDouble() * 100;
    for (Map.Entry<String, Double> entry : MIX.entrySet()) {
      at -= entry.getValue();
      if (at < 0) {
        return entry.getKey();
      }
    }
    return "update";
  }

  private static long nanos(double seconds) {
    return Math.max(64, Math.round(seconds * 1e9));
  }
}
