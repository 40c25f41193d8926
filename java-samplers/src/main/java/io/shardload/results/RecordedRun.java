package io.shardload.results;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.Durability;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Curves;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Percentiles;
import io.shardload.results.measured.Segments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * A run bundle as other packages read it: evaluated again from its histograms and ledgers, so that
 * bundles of different versions are judged alike. Everything covers the result segments; {@link
 * #ALL} stands for all transactions together.
 */
public final class RecordedRun {
  public static final String ALL = "";

  private final Evaluation run;
  private final JsonObject summary;
  private final Seconds seconds;
  private final ServerMachines serverMachines;
  private final ServerUse serverUse;
  private final Cost cost;

  private RecordedRun(Evaluation run, Seconds seconds) {
    this.run = run;
    this.summary = Summary.of(run, Verdict.of(run));
    this.seconds = seconds;
    this.serverMachines = ServerMachines.of(run.bundle());
    this.serverUse = MachineUse.of(run).servers();
    this.cost = Cost.of(run);
  }

  /**
   * Reads a bundle.
   *
   * @throws IOException if run.json is missing or the bundle cannot be read
   */
  public static RecordedRun read(Path directory) throws IOException {
    Bundle bundle = BundleReader.read(directory);
    Segments segments = Segments.of(bundle);
    Seconds listener = new Seconds(Segments.names(segments.results()), new Curves(bundle));
    return new RecordedRun(Evaluation.read(bundle, segments, 1, listener), listener);
  }

  /** Sums and counts of service times per second of the result, and the curves of all segments. */
  private record Seconds(
      Set<String> results, Map<String, Map<Integer, double[]>> sums, Curves curves)
      implements Distributions.Listener {
    Seconds(Set<String> results, Curves curves) {
      this(results, new TreeMap<>(), curves);
    }

    @Override
    public void interval(HistogramLines.Interval interval, SlotCounts counts) {
      curves.interval(interval, counts);
      if (interval.series().equals("service") && results.contains(interval.segment())) {
        int second = (int) Math.floor(interval.midSeconds());
        add(interval.transaction(), second, counts);
        add(ALL, second, counts);
      }
    }

    private void add(String transaction, int second, SlotCounts counts) {
      double[] cell =
          sums.computeIfAbsent(transaction, key -> new TreeMap<>())
              .computeIfAbsent(second, key -> new double[2]);
      cell[0] += counts.sumNanos();
      cell[1] += counts.total();
    }

    @Override
    public void until(double seconds) {}
  }

  public Path directory() {
    return run.bundle().directory();
  }

  public String id() {
    return Json.text(summary, "run_id", directory().getFileName().toString());
  }

  public JsonObject summary() {
    return summary;
  }

  /** The effective configuration, run.json. */
  public JsonObject config() {
    return run.bundle().run();
  }

  /** The name of the target's driver. */
  public String driver() {
    return Json.text(Json.object(config(), "target"), "driver", "?");
  }

  /** environment.json, or an empty object. */
  public JsonObject environment() {
    return orEmpty(run.bundle().environment());
  }

  /** evidence.json with the server's plans and storage, or an empty object. */
  public JsonObject evidence() {
    return orEmpty(run.bundle().evidence());
  }

  /** Rows that verification read after the run; empty if it did not read them all. */
  public OptionalLong rowsAtEnd() {
    return run.bundle().rowsAtEnd();
  }

  private static JsonObject orEmpty(JsonObject json) {
    return json == null ? new JsonObject() : json;
  }

  public boolean open() {
    return run.bundle().open();
  }

  /** Whether the whole result is one segment, at one rate. */
  public boolean isSteady() {
    return run.segments().results().size() == 1;
  }

  public boolean keepsData() {
    return run.bundle().keepsData();
  }

  public boolean sharesMachine() {
    return run.bundle().sharesMachine();
  }

  /** Names of the transactions that occurred. */
  public Set<String> transactions() {
    return new TreeSet<>(run.ledgers().transactions());
  }

  /** Per second of the result {@code {sum of service times in ns, count}}, in order of time. */
  public double[][] serviceSeconds(String transaction) {
    return seconds.sums.getOrDefault(transaction, Map.of()).values().toArray(new double[0][]);
  }

  /** Rates and phases over the time of the run. */
  public Curves curves() {
    return seconds.curves;
  }

  private Counts counts(String transaction) {
    return transaction.equals(ALL)
        ? run.results()
        : run.ledgers().ofTransaction(transaction, Segments.names(run.segments().results()));
  }

  private Histogram histogram(String transaction, String series) {
    Distributions all = run.distributions();
    return (transaction.equals(ALL) ? all.all() : all.ofTransaction(transaction)).apply(series);
  }

  /**
   * The latency of runs together, their histograms and counters added: {@code count mean p50 p90
   * p95 p99 p999 max} in nanoseconds, by the rules of summary.json.
   *
   * @param series one of {@link Distributions#SERIES}
   */
  public static JsonObject latency(List<RecordedRun> runs, String transaction, String series) {
    Counts counts = new Counts();
    runs.forEach(one -> counts.add(one.counts(transaction)));
    return Percentiles.of(series, each -> sum(runs, transaction, each), counts).toJson();
  }

  private static Histogram sum(List<RecordedRun> runs, String transaction, String series) {
    Histogram sum = null;
    for (RecordedRun one : runs) {
      Histogram part = one.histogram(transaction, series);
      if (part != null && sum == null) {
        sum = part.copy();
        sum.setAutoResize(true);
      } else if (part != null) {
        sum.add(part);
      }
    }
    return sum;
  }

  /** Operations per second that were done in time, over runs together; NaN without any time. */
  public static double achievedPerSecond(List<RecordedRun> runs, String transaction) {
    return perSecond(runs, transaction, true);
  }

  /** Arrivals per second that were due, over runs together; NaN in a closed model. */
  public static double offeredPerSecond(List<RecordedRun> runs, String transaction) {
    boolean open = runs.stream().allMatch(RecordedRun::open);
    return open ? perSecond(runs, transaction, false) : Double.NaN;
  }

  /** Failed and unknown ones in percent of the started operations; NaN where none was started. */
  public static double errorsPercent(List<RecordedRun> runs, String transaction) {
    return percent(runs, transaction, Counts::errorsPercent);
  }

  /** The same of the refused ones. */
  public static double refusedPercent(List<RecordedRun> runs, String transaction) {
    return percent(runs, transaction, Counts::refusedPercent);
  }

  private static double percent(
      List<RecordedRun> runs, String transaction, ToDoubleFunction<Counts> share) {
    Counts counts = new Counts();
    runs.forEach(one -> counts.add(one.counts(transaction)));
    return counts.get(Field.STARTED) == 0 ? Double.NaN : share.applyAsDouble(counts);
  }

  private static double perSecond(List<RecordedRun> runs, String transaction, boolean achieved) {
    double operations = 0;
    double elapsed = 0;
    for (RecordedRun one : runs) {
      Counts counts = one.counts(transaction);
      operations += achieved ? counts.achieved() : counts.offered();
      elapsed += one.run.resultSeconds();
    }
    return elapsed > 0 ? operations / elapsed : Double.NaN;
  }

  /** How many generators the run should have had. */
  public int generators() {
    return run.bundle().expectedGenerators();
  }

  /**
   * The facts that the load hosts reported; empty if the generator ran on the controller's machine.
   */
  public List<JsonObject> loadHosts() {
    return run.bundle().loadHosts();
  }

  /** What the machines did; null without hosts.json. */
  public HostMetrics hosts() {
    return run.bundle().hosts();
  }

  public Durability durability() {
    return run.durability();
  }

  /** The machines of the servers, as far as their figures are known. */
  public ServerMachines serverMachines() {
    return serverMachines;
  }

  /** What the servers' machines did in the headline's segments; null if nothing is known. */
  public ServerUse serverUse() {
    return serverUse;
  }

  /** Null without prices, or if no transaction was answered. */
  public Cost cost() {
    return cost;
  }

  /** The busiest generator's CPU in percent of its cores; NaN where it is not known. */
  public double generatorCpuPercent() {
    return run.cpu().highest(run.segments().results());
  }
}
