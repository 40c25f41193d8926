package io.shardload.calibrate;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.histogram.Buckets;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.driver.Scratch;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementBaseline.Call;
import io.shardload.workload.statements.port.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** All measurements in turn, and their result. */
public final class Calibration {
  private static final Figure.Goal PUNCTUAL = Figure.Goal.atLeast(99, "%");
  private static final Buckets WITHIN_MILLISECOND = new Buckets(new long[] {1_000_000});
  private static final int OPEN_RATE = 500;
  private static final int OPEN_WORKERS = 8;
  private static final int LEAST_OPEN_SECONDS = 10;
  private static final Figure.Goal BULK_LOAD_RATE = Figure.Goal.atLeast(0.8, "");
  private static final int MOST_DOCUMENTS = 20_000;
  private static final long MOST_BYTES = 48L << 20;
  private static final int WARM_UP_ROUNDS = 3;
  private static final Figure.Goal NOOP_RATE = Figure.Goal.atLeast(1, "");
  private static final Figure.Goal NOOP_CPU = Figure.Goal.atMost(1, "us");
  private static final int NOOP_SECONDS = 1;
  private static final int DEFAULT_ROUNDS = Figure.Goal.LEAST_ROUNDS;
  private static final int MOST_ROUNDS = 1000;

  private final TestBed testBed;
  private final List<Figure> figures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private Calibration(TestBed testBed) {
    this.testBed = testBed;
  }

  /**
   * Measures everything, for some minutes, and writes {@code calibration.json}. An interrupt ends
   * the calibration early and leaves nothing behind.
   *
   * @param request the verb's: {@code config}, {@code jmeter_home}, {@code directory} and
   *     optionally {@code rounds}
   * @param target opened, its documents loaded
   * @return the result as in the file, with {@code lines} for the console
   */
  public static JsonObject run(JsonObject request, Target target, Progress progress)
      throws IOException, InterruptedException, CallFailure {
    int rounds = request.has("rounds") ? request.get("rounds").getAsInt() : DEFAULT_ROUNDS;
    JsonObject config = request.getAsJsonObject("config");
    Path directory = Path.of(request.get("directory").getAsString());
    Files.createDirectories(directory);
    TestBed testBed =
        new TestBed(
            config,
            RunConfig.read(config),
            target,
            Path.of(request.get("jmeter_home").getAsString()),
            directory,
            Math.max(2, Math.min(MOST_ROUNDS, rounds)),
            progress);
    return new Calibration(testBed).run();
  }

  private JsonObject run() throws IOException, InterruptedException, CallFailure {
    figures.addAll(noopCeiling());
    if (testBed.target().keepsData()) {
      StatementsModel model = (StatementsModel) testBed.base().model();
      StatementCalls calls = StatementCalls.measure(testBed, model);
      figures.addAll(calls.figures());
      notes.addAll(calls.notes());
      bulkLoad(model).ifPresent(figures::add);
    }
    figures.add(punctuality());
    Path log = testBed.directory().resolve("bench.log");
    if (Files.exists(log) && Files.size(log) == 0) {
      Files.delete(log);
    }
    return result();
  }

  private JsonObject result() throws IOException {
    JsonObject result = new JsonObject();
    result.addProperty("target", testBed.base().target().name());
    result.addProperty("rounds", testBed.rounds());
    result.addProperty("processors", Runtime.getRuntime().availableProcessors());
    result.addProperty("java", System.getProperty("java.vm.version"));
    result.add("figures", Json.each(figures, Figure::json));
    if (!notes.isEmpty()) {
      result.add("notes", new Gson().toJsonTree(notes));
    }
    Path file = testBed.directory().resolve("calibration.json");
    WholeFile.writeJson(file, result);
    JsonArray lines = new JsonArray();
    table(figures, testBed.rounds()).forEach(lines::add);
    notes.forEach(lines::add);
    lines.add(file.toString());
    result.add("lines", lines);
    return result;
  }

  private static List<String> table(List<Figure> figures, int rounds) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("what", "goal", "figure [95 % interval]", "verdict"));
    for (Figure f : figures) {
      rows.add(List.of(f.what(), f.goal().text(), f.value(), f.verdict().label()));
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        line.append(padded(row.get(column), width(rows, column))).append("  ");
      }
      lines.add(line.toString().stripTrailing());
    }
    Set<String> details = new LinkedHashSet<>();
    figures.forEach(f -> details.add("  " + group(f) + ": " + f.detail()));
    lines.addAll(details);
    if (rounds < Figure.Goal.LEAST_ROUNDS) {
      lines.add("fewer than " + Figure.Goal.LEAST_ROUNDS + " rounds are too few for a decision");
    }
    return lines;
  }

  /** The common part of the names of figures from the same rounds. */
  private static String group(Figure figure) {
    return figure.what().substring(0, figure.what().indexOf(':'));
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length());
  }

  /**
   * The cost of the harness if the database costs nothing: one worker per processor on the target
   * noop, with everything recorded. Compared with JMeter with an empty Java Request and no
   * listener, and with a bare loop that prepares and makes the same calls and records nothing.
   */
  private List<Figure> noopCeiling() throws IOException, InterruptedException {
    int workers = Runtime.getRuntime().availableProcessors();
    JsonObject config = testBed.onNoop("0s");
    Rounds rounds =
        Rounds.measure(
            testBed, "noop", config, workers, NOOP_SECONDS, List.of("harness", "jmeter", "bare"));
    String detail =
        String.format(
            Locale.ROOT,
            "samples/s: harness %.0f, JMeter alone %.0f, bare loop %.0f; CPU us per sample: %.3f,"
                + " %.3f, %.3f; %d workers",
            rounds.mean("harness", Measured::perSecond),
            rounds.mean("jmeter", Measured::perSecond),
            rounds.mean("bare", Measured::perSecond),
            rounds.mean("harness", Measured::cpuMicros),
            rounds.mean("jmeter", Measured::cpuMicros),
            rounds.mean("bare", Measured::cpuMicros),
            workers);
    return List.of(
        Figure.ofRatios(
            "noop: samples/s, harness over JMeter without JTL",
            NOOP_RATE,
            rounds.compare("harness", "jmeter", (h, j) -> h.perSecond() / j.perSecond()),
            detail),
        Figure.ofValues(
            "noop: CPU added per sample to a bare loop",
            NOOP_CPU,
            rounds.compare("harness", "bare", (h, b) -> h.cpuMicros() - b.cpuMicros()),
            detail));
  }

  /**
   * Compares the loader, which makes rows during the load and commits in batches, with the
   * database's own bulk path, which gets the same rows, made beforehand, in one batch. Both load
   * into an empty table with all its indexes, and each opens new connections.
   */
  private Optional<Figure> bulkLoad(StatementsModel model) throws CallFailure {
    Optional<TableRows> first = model.entityRows();
    if (first.isEmpty()) {
      return Optional.empty();
    }
    TableRows rows = first.get();
    long size = Math.max(1, model.bytesPerDocument()) + 200;
    int count =
        (int) Math.min(rows.rows(), Math.max(100, Math.min(MOST_DOCUMENTS, MOST_BYTES / size)));
    try (Scratch scratch = testBed.target().scratch(model.tables())) {
      model.createSchema(scratch, Making.UNRECORDED, Progress.UNHEARD);
      Optional<Call> bulk = scratch.port(StatementBaseline.class).bulk(rows, count);
      return bulk.isEmpty()
          ? Optional.empty()
          : Optional.of(bulkLoad(scratch, rows, count, bulk.get()));
    }
  }

  private Figure bulkLoad(Scratch scratch, TableRows rows, int count, Call bulk)
      throws CallFailure {
    StatementAdmin admin = scratch.port(StatementAdmin.class);
    double[] ratios = new double[testBed.rounds()];
    double loader = 0;
    double ownPath = 0;
    for (int i = -WARM_UP_ROUNDS; i < ratios.length; i++) {
      testBed.progress().step("bulk load", Math.max(0, i), ratios.length, "rounds");
      double[] seconds = new double[2];
      // Alternating order, so that neither side always runs during the checkpoint that the other
      // caused.
      for (int side : i % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0}) {
        admin.empty(rows.table());
        long begin = System.nanoTime();
        if (side == 0) {
          admin.load(rows, 0, count, false, done -> {});
        } else {
          bulk.run();
        }
        seconds[side] = (System.nanoTime() - begin) / 1e9;
      }
      if (i >= 0) {
        loader += seconds[0];
        ownPath += seconds[1];
        ratios[i] = seconds[1] / seconds[0];
      }
    }
    testBed.progress().step("bulk load", ratios.length, ratios.length, "rounds");
    String detail =
        String.format(
            Locale.ROOT,
            "rows/s: loader %.0f, the database's bulk path %.0f; %d rows per round",
            count * ratios.length / loader,
            count * ratios.length / ownPath,
            count);
    return Figure.ofRatios(
        "bulk load: rate, loader over bulk path", BULK_LOAD_RATE, ratios, detail);
  }

  /**
   * Whether arrivals begin when they are due: 500/s, evenly spaced, on the target noop with a
   * service time of 1 ms. A round is a second of the run.
   */
  private Figure punctuality() throws IOException, InterruptedException {
    int seconds = Math.max(LEAST_OPEN_SECONDS, testBed.rounds());
    JsonObject config = testBed.onNoop("1ms");
    TestBed.open(config, OPEN_WORKERS, OPEN_RATE, seconds);
    testBed.progress().step("open model", 0, seconds, "seconds");
    try (Bench bench = Bench.start(testBed)) {
      bench.round("harness", config, seconds);
      testBed.progress().step("open model", seconds, seconds, "seconds");
      return ofWaits(waits(testBed.bundle()));
    } finally {
      testBed.clean();
    }
  }

  private static Figure ofWaits(List<SlotCounts> waits) {
    SlotCounts whole = waits.stream().reduce(new SlotCounts(), SlotCounts::plus);
    // The share of each second; the first and the last second of a segment are shorter and count
    // less.
    double[] shares = waits.stream().mapToDouble(Calibration::percentWithin).toArray();
    String detail =
        String.format(
            Locale.ROOT,
            "wait of %d arrivals at %d/s: p50 %.3f ms, p99 %.3f ms, max %.3f ms; %.3f %% within"
                + " 1 ms",
            whole.total(),
            OPEN_RATE,
            whole.percentileNanos(2) / 1e6,
            whole.percentileNanos(100) / 1e6,
            whole.longestNanos() / 1e6,
            percentWithin(whole));
    return Figure.ofValues(
        "open model: arrivals begun within 1 ms of due", PUNCTUAL, shares, detail);
  }

  private static double percentWithin(SlotCounts waits) {
    long[] counts = new long[2];
    WITHIN_MILLISECOND.add(waits, counts);
    return 100.0 * counts[0] / waits.total();
  }

  /** The histograms of the wait in the hold segment, one per second. */
  private static List<SlotCounts> waits(Path bundle) throws IOException {
    List<SlotCounts> waits = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    try (HistogramLines lines = HistogramLines.open(BundleReader.generator(bundle, 0), problems)) {
      for (var interval = lines.peek(); interval != null; interval = lines.peek()) {
        if (interval.segment().equals("hold")
            && interval.transaction().equals(TestBed.POINT_READ)
            && interval.series().equals("wait")) {
          SlotCounts wait = lines.decode();
          if (wait == null) {
            throw new IOException("a histogram cannot be read");
          }
          waits.add(wait.copy());
        }
        lines.advance();
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
    return waits;
  }
}
