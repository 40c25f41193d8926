package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.exposition.RecordedGenerator.Family;
import io.shardload.workload.Progress;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Imports a bundle into a store. An earlier import of the run is deleted first, because the store
 * would otherwise hold every sample twice. At the end the sum of begun operations in the store is
 * checked.
 */
public final class Publish {
  private static final String STARTED = "shardload_arrivals_started_total";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MOST_ATTEMPTS = 3;

  /** Imported samples can be found after a second or two. */
  private static final int MOST_QUERIES = 60;

  private static final int QUERIES_TO_SETTLE = 10;
  private static final Duration BETWEEN_QUERIES = Duration.ofMillis(500);

  /** A store keeps its samples for a month by default. */
  private static final Duration SHORTEST_RETENTION = Duration.ofDays(1);

  private final Export.FinishedRun run;
  private final StoreClient store;
  private final Progress progress;

  /** The number of the last query; no other process has the same. */
  private long lastQuery = System.currentTimeMillis();

  private Publish(Export.FinishedRun run, StoreClient store, Progress progress) {
    this.run = run;
    this.store = store;
    this.progress = progress;
  }

  /**
   * The verb {@code publish} of the controller's child.
   *
   * @param request {@code directory} of the bundle, {@code url}; {@code token_env}, or {@code user}
   *     and {@code password_env}: the secrets are in the environment; {@code progress}, whether
   *     progress is shown
   */
  public static JsonObject run(JsonObject request, Progress progress) throws IOException {
    try {
      Path bundle = Path.of(request.get("directory").getAsString());
      String url = request.get("url").getAsString();
      StoreClient store =
          new StoreClient(url, Credentials.named(request, System::getenv), PATIENCE);
      return run(bundle, store, Json.flag(request, "progress") ? progress : Progress.UNHEARD);
    } catch (StoreException e) {
      throw new ConfigException("", e.getMessage());
    }
  }

  /**
   * Publishes a bundle.
   *
   * @return {@code series}, {@code samples}, {@code operations} (begun ones that the store has) and
   *     {@code problems} (what of the bundle could not be read)
   * @throws ConfigException the run was not judged, the store imports nothing or has another sum
   *     afterwards
   */
  static JsonObject run(Path bundle, StoreClient store, Progress progress) throws IOException {
    Export.FinishedRun run = Export.FinishedRun.read(bundle);
    if (store.url().matches(".*/select/[^/]+(/.*)?")) {
      throw new ConfigException(
          "",
          store.url()
              + " is the query address of a VictoriaMetrics cluster; publish needs a single-node"
              + " VictoriaMetrics: give its address with --url");
    }
    if (store.kind() == StoreClient.StoreKind.PROMETHEUS) {
      throw new ConfigException(
          "",
          ("%s is a Prometheus server, which cannot import over HTTP; use \"shardload export %s"
                  + " --format openmetrics\" and \"promtool tsdb create-blocks-from openmetrics %s.om"
                  + " DATA\"")
              .formatted(store.url(), run.id(), run.id()));
    }
    return new Publish(run, store, progress).run();
  }

  private JsonObject run() throws IOException {
    try (RunSeries series = RunSeries.of(run.bundle(), run.summary())) {
      long ledger = begun("ledger") + begun("warmup_ledger");
      checkWhole(Math.round(series.last(STARTED)), ledger);
      for (int attempt = 1; ; attempt++) {
        Counting sent = send(series);
        Found found = await(new Found(sent.samples, ledger), series);
        if (found.operations == ledger && found.samples <= sent.samples) {
          return done(sent, ledger, series);
        }
        // A deletion misses the samples of a very recent import.
        if (found.samples <= sent.samples || attempt == MOST_ATTEMPTS) {
          boolean nothing = found.samples == 0;
          String why = nothing ? nothingFound(series.times()) : otherSum(found, sent, ledger);
          throw new ConfigException("", why);
        }
      }
    }
  }

  /** Before anything is deleted. */
  private void checkWhole(long started, long ledger) {
    if (started != ledger) {
      throw new ConfigException(
          "",
          ("%s is not complete: its intervals have %,d operations, but its summary.json has %,d; if"
                  + " its files were collected since, \"shardload report %s\" writes it again")
              .formatted(run.id(), started, ledger, run.id()));
    }
  }

  private Counting send(RunSeries series) throws IOException {
    Counting counting = new Counting(series.size());
    store.delete(List.of("{%s}".formatted(matchers(""))));
    store.post(
        "/api/v1/import",
        "application/json",
        out -> {
          Writer text =
              new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
          counting.to = new ImportLines(text);
          series.writeTo(counting);
          text.flush();
        });
    return counting;
  }

  private static JsonObject done(Counting sent, long operations, RunSeries series) {
    JsonObject done = new JsonObject();
    done.addProperty("series", sent.series);
    done.addProperty("samples", sent.samples);
    done.addProperty("operations", operations);
    done.add("problems", Json.strings(series.problems()));
    return done;
  }

  private String matchers(String others) {
    return "run_id=\"%s\",source=\"%s\"%s"
        .formatted(run.id().replace("\\", "\\\\").replace("\"", "\\\""), RunSeries.SOURCE, others);
  }

  private long begun(String ledger) {
    return Json.integer(Json.object(run.summary(), ledger), "started", 0);
  }

  /** What the store shows of a run: samples of all series, and begun operations. */
  private record Found(long samples, long operations) {}

  /**
   * Waits until the store shows everything, or nothing more comes. A store that drops samples close
   * to each other has fewer, with the same last values.
   */
  private Found await(Found all, RunSeries series) throws IOException {
    Found found = new Found(0, 0);
    int same = 0;
    for (int query = 0; query < MOST_QUERIES && same < queriesToSettle(found, all); query++) {
      Found now = count(series);
      if (now.equals(all) || now.samples > all.samples) {
        return now;
      }
      same = now.equals(found) ? same + 1 : 0;
      found = now;
      pause();
    }
    return found;
  }

  private static int queriesToSettle(Found found, Found all) {
    return found.operations == all.operations ? QUERIES_TO_SETTLE : 2 * QUERIES_TO_SETTLE;
  }

  private Found count(RunSeries series) throws IOException {
    // A store remembers for a while which series a selector finds: this one is new each time.
    String selector = "{%s}".formatted(matchers(",query!=\"" + ++lastQuery + "\""));
    double end = series.lastMillis() / 1000.0;
    long millis = series.lastMillis() - series.times().startMillis() + 1;
    String range = "[" + millis + "ms]";
    double samples = store.number("sum(count_over_time(%s%s))".formatted(selector, range), end);
    double begun =
        store.number("sum(last_over_time(%s%s%s))".formatted(STARTED, selector, range), end);
    return new Found(Math.round(samples), Math.round(begun));
  }

  private String nothingFound(RunTimes times) {
    Instant started = Instant.ofEpochMilli(times.startMillis());
    boolean old = started.isBefore(Instant.now().minus(SHORTEST_RETENTION));
    return "the store accepted the series of %s but shows none of them%s"
        .formatted(
            run.id(),
            old
                ? ": the run of "
                    + started.toString().substring(0, 10)
                    + " is older than the store's retention period; start the store with a longer"
                    + " -retentionPeriod"
                : "");
  }

  private String otherSum(Found found, Counting sent, long ledger) {
    return "the store shows %,d of %,d samples and %,d of %,d operations of %s; publish the run again"
        .formatted(found.samples, sent.samples, found.operations, ledger, run.id());
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(BETWEEN_QUERIES.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Counts what passes. */
  private final class Counting implements RunSeries.Sink {
    private final long expected;
    private RunSeries.Sink to;
    private long series;
    private long samples;

    Counting(long expected) {
      this.expected = expected;
    }

    @Override
    public void family(Family family) throws IOException {
      to.family(family);
    }

    @Override
    public void series(Points points) throws IOException {
      to.series(points);
      series++;
      samples += points.count();
      progress.step("publish", Math.min(series, expected), expected, "series");
    }
  }

  /**
   * Series as VictoriaMetrics imports them: a line of JSON for each. That is a tenth of the text
   * format, which repeats the labels before every value.
   */
  record ImportLines(Writer out) implements RunSeries.Sink {
    @Override
    public void family(Family family) {}

    @Override
    public void series(Points points) throws IOException {
      JsonObject metric = new JsonObject();
      metric.addProperty("__name__", points.name());
      points.labels().forEach(metric::addProperty);
      out.write("{\"metric\":" + metric + ",\"values\":[");
      String separator = "";
      for (double value : points.values()) {
        if (!Double.isNaN(value)) {
          out.write(separator);
          out.write(Points.text(value));
          separator = ",";
        }
      }
      out.write("],\"timestamps\":[");
      separator = "";
      for (int i = 0; i < points.values().length; i++) {
        if (!Double.isNaN(points.values()[i])) {
          out.write(separator);
          out.write(Long.toString(points.epochMillis()[i]));
          separator = ",";
        }
      }
      out.write("]}\n");
    }
  }
}
