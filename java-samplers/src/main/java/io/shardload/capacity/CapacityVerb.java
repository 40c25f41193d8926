package io.shardload.capacity;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.report.OfflinePage;
import io.shardload.report.StaticPage;
import io.shardload.results.Cost;
import io.shardload.results.RecordedRun;
import io.shardload.results.Verdict;
import io.shardload.results.measured.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The verb {@code capacity} of the controller's child. */
public final class CapacityVerb {
  private static final String RECORD = "search.json";
  private static final String PAGE = "search.html";
  private static final List<String> STYLES =
      List.of("report/page.css", "report/parts.css", "capacity/capacity.css");
  private static final List<String> SCRIPTS =
      List.of(
          "report/base.js",
          "report/chart.js",
          "capacity/curves.js",
          "capacity/tables.js",
          "capacity/main.js");

  private CapacityVerb() {}

  /**
   * Checks Little's law for the runs of a search, by their ledgers, and writes the page of the
   * search.
   *
   * @param request {@code directory} with {@code search.json}, in the same folder as the bundles of
   *     its runs; {@code static_into}, a folder for the page without scripts, if it is asked for
   * @return {@code lines} for the console, {@code report} (path of the page)
   * @throws IOException if search.json or a bundle cannot be read, or the page not be written
   */
  public static JsonObject run(JsonObject request) throws IOException {
    Path directory = Path.of(request.get("directory").getAsString());
    Path record = directory.resolve(RECORD);
    JsonObject search = JsonParser.parseString(Files.readString(record)).getAsJsonObject();
    for (JsonElement element : Json.array(search, "runs")) {
      JsonObject run = element.getAsJsonObject();
      run.add("little", LittlesLaw.orNull(little(directory.resolveSibling(bundle(run)), run)));
    }
    search.addProperty("bound", bound(search));
    Cost cost = cost(directory, search);
    search.add("cost", Cost.toJson(cost));
    WholeFile.writeJson(record, search);
    Path page = directory.resolve(PAGE);
    List<String> lines = lines(search, cost);
    lines.add("page     " + page);
    String title = "Capacity of " + Json.text(search, "target", "a target");
    WholeFile.write(page, OfflinePage.html(title, STYLES, SCRIPTS, search, lines));
    if (request.has("static_into")) {
      Path into = Path.of(request.get("static_into").getAsString());
      StaticPage.write(into, title, STYLES, SCRIPTS, search);
      lines.add("static   " + StaticPage.in(into));
    }
    JsonObject reply = new JsonObject();
    reply.add("lines", Json.strings(lines));
    reply.addProperty("report", page.toString());
    return reply;
  }

  private static String bundle(JsonObject run) {
    return Json.text(run, "bundle", "");
  }

  private static LittlesLaw little(Path bundle, JsonObject run) throws IOException {
    JsonObject summary = bundle(run).isEmpty() ? null : BundleReader.summary(bundle);
    return summary == null ? null : LittlesLaw.of(bundle, summary);
  }

  /** What bounds the upper end of the interval, or its lower end if there is no upper one. */
  private static String bound(JsonObject search) {
    boolean bad = search.has("high") && search.get("high").isJsonObject();
    double rate = Json.number(Json.object(search, bad ? "high" : "low"), "rate", Double.NaN);
    String bound = null;
    for (JsonElement element : Json.array(search, "runs")) {
      JsonObject run = element.getAsJsonObject();
      boolean decided = Json.text(run, "outcome", "").equals(bad ? "bad" : "good");
      if (decided && Json.number(run, "rate", Double.NaN) == rate && bound == null) {
        bound = Json.text(run, "bottleneck", null);
      }
    }
    return bound == null ? null : String.format(Locale.ROOT, "at %,.0f/s %s", rate, bound);
  }

  /**
   * Between the ends of the interval, by the middle one of the good runs at the lower end; null
   * without prices.
   */
  private static Cost cost(Path directory, JsonObject search) throws IOException {
    double low = Json.number(Json.object(search, "low"), "rate", Double.NaN);
    double high = Json.number(Json.object(search, "high"), "rate", Double.NaN);
    List<Cost> costs = new ArrayList<>();
    for (JsonElement element : Json.array(search, "runs")) {
      JsonObject run = element.getAsJsonObject();
      Path bundle = directory.resolveSibling(bundle(run));
      if (Json.text(run, "outcome", "").equals("good")
          && Json.number(run, "rate", Double.NaN) == low
          && !Json.object(BundleReader.summary(bundle), "cost").isEmpty()) {
        costs.add(RecordedRun.read(bundle).cost());
      }
    }
    costs.sort(Comparator.comparingDouble(Cost::perMillion));
    return costs.isEmpty() ? null : costs.get(costs.size() / 2).atCapacity(high / low);
  }

  private static List<String> lines(JsonObject search, Cost cost) {
    List<String> lines = new ArrayList<>();
    lines.add(Json.text(search, "text", "the search is not finished"));
    if (!search.get("bound").isJsonNull()) {
      lines.add(Json.text(search, "bound", ""));
    }
    if (cost != null) {
      lines.add("cost     " + cost.sentence());
    }
    lines.add("limits   " + limits(Json.object(search, "limits")));
    int code = (int) Json.integer(search, "exit", -1);
    if (code >= 0) {
      lines.add("verdict  %s (exit %d)".formatted(new Verdict(code, List.of()).name(), code));
    }
    List<String> against = new ArrayList<>();
    for (JsonElement element : Json.array(search, "runs")) {
      JsonObject little = Json.object(element.getAsJsonObject(), "little");
      if (little.has("agrees") && !Json.flag(little, "agrees")) {
        against.add(String.valueOf(Json.integer(element.getAsJsonObject(), "number", 0)));
      }
    }
    if (!against.isEmpty()) {
      lines.add("little   concurrency is not rate x time in run " + String.join(", ", against));
    }
    return lines;
  }

  /** What a run must keep to be good, as on the page. */
  private static String limits(JsonObject limits) {
    List<String> kept = new ArrayList<>();
    if (limits.has("p99_ms")) {
      kept.add("p99 at most " + Limits.time(limits.get("p99_ms").getAsDouble() / 1000));
    }
    if (limits.has("errors_percent")) {
      kept.add("errors at most " + Limits.trim(limits.get("errors_percent").getAsDouble()) + " %");
    }
    kept.add("98 % of the arrivals answered in time");
    return String.join(", ", kept);
  }

  /**
   * Little's law in one run: the mean number of arrivals in the system is their rate times the mean
   * time that they spend there.
   *
   * <p>The two sides come from different sources. <em>Counted</em> is the number of arrivals that
   * are due and not finished, from the counters of the ledger at the end of each second of the
   * hold: backlog + begun - ended; its mean over the hold by trapezoids. <em>Expected</em> is the
   * sum of the response times of the histograms, those of dropped arrivals included, divided by the
   * length of the hold. They agree if they differ by at most the sum of two parts: 20 % of the
   * larger number, at least one arrival, and three standard errors. The standard error assumes
   * Poisson counts that are independent from second to second. The law holds for the mean of a
   * steady state: while a backlog grows, arrivals of the hold may wait beyond its end.
   *
   * @param counted mean over the hold
   * @param samples counts of which it is the mean
   * @param expected NaN where no call was answered
   * @param atLeast whether the expected number is a lower bound, because some times are not known
   */
  record LittlesLaw(double counted, int samples, double expected, boolean atLeast) {
    private static final double SHARE = 0.2;
    private static final double ARRIVALS = 1;
    private static final double ERRORS = 3;

    /** One count: how many arrivals are due and not finished at a time. */
    private record Count(long nanos, double number) {}

    /**
     * Reads a bundle.
     *
     * @param summary its summary.json
     * @return null where the run has no hold, or too few seconds of one
     * @throws IOException if the bundle cannot be read
     */
    static LittlesLaw of(Path directory, JsonObject summary) throws IOException {
      Bundle bundle = BundleReader.read(directory);
      JsonObject hold = hold(summary);
      GeneratorLog.Span span = hold == null ? null : span(bundle, Json.text(hold, "name", ""));
      if (span == null || !bundle.open()) {
        return null;
      }
      List<GeneratorLog> streams =
          bundle.merged() == null ? bundle.generators() : List.of(bundle.merged());
      double counted = 0;
      int samples = Integer.MAX_VALUE;
      for (GeneratorLog stream : streams) {
        List<Count> counts = counts(stream, span);
        samples = Math.min(samples, counts.size());
        counted += mean(counts);
      }
      if (streams.isEmpty() || samples < 2) {
        return null;
      }
      JsonObject response = Json.object(hold, "response_ns");
      double least = Json.number(Json.object(response, "at_least_ns"), "mean", Double.NaN);
      double mean = Json.number(response, "mean", least);
      double members =
          Json.integer(response, "count", 0)
              + Json.integer(Json.object(hold, "ledger"), "dropped", 0);
      double seconds = Json.number(hold, "seconds", Double.NaN);
      double expected = members * mean / 1e9 / seconds;
      return new LittlesLaw(counted, samples, expected, !Double.isNaN(least));
    }

    private static JsonObject hold(JsonObject summary) {
      for (JsonElement step : Json.array(summary, "steps")) {
        if (Json.text(step.getAsJsonObject(), "kind", "").equals("hold")) {
          return step.getAsJsonObject();
        }
      }
      return null;
    }

    private static GeneratorLog.Span span(Bundle bundle, String segment) {
      for (GeneratorLog generator : bundle.generators()) {
        if (generator.end() != null && generator.end().segments().containsKey(segment)) {
          return generator.end().segments().get(segment);
        }
      }
      return null;
    }

    /** From the last second that ends before the hold to the last that ends within it. */
    private static List<Count> counts(GeneratorLog stream, GeneratorLog.Span hold) {
      List<Count> counts = new ArrayList<>();
      long[] calls = new long[1];
      stream.forEachJson(
          line -> {
            calls[0] += underWay(line);
            long at = Json.integer(line, "to_ns", 0);
            if (at <= hold.fromNanos()) {
              counts.clear();
            }
            // A line may be written a little after the end of its second.
            if (at <= hold.toNanos() + 100_000_000) {
              counts.add(new Count(at, calls[0] + Json.integer(line, "backlog", 0)));
            }
          });
      return counts;
    }

    /** How many more calls are under way at the end of a line than at its beginning. */
    private static long underWay(JsonObject line) {
      long more = 0;
      for (JsonElement segment : Json.object(line, "segments").asMap().values()) {
        for (JsonElement transaction : segment.getAsJsonObject().asMap().values()) {
          Counts counts = Counts.parse(transaction.getAsJsonObject());
          more += counts.get(Field.STARTED) - counts.answered() - counts.errorCount();
        }
      }
      return more;
    }

    private static double mean(List<Count> counts) {
      double area = 0;
      for (int i = 1; i < counts.size(); i++) {
        Count before = counts.get(i - 1);
        Count after = counts.get(i);
        area += (after.nanos - before.nanos) * (before.number + after.number) / 2;
      }
      int last = counts.size() - 1;
      return last < 1 ? Double.NaN : area / (counts.get(last).nanos - counts.get(0).nanos);
    }

    /** How much counted and expected may differ, in arrivals. */
    double allowed() {
      double of = Math.max(expected, counted);
      return Math.max(SHARE * of, ARRIVALS) + ERRORS * Math.sqrt(of / samples);
    }

    boolean agrees() {
      double difference = counted - expected;
      return atLeast
          ? difference >= -allowed()
          : Double.isFinite(difference) && Math.abs(difference) <= allowed();
    }

    JsonElement toJson() {
      JsonObject json = new JsonObject();
      json.add("counted", Json.rounded(counted));
      json.add("expected", Json.rounded(expected));
      json.addProperty("at_least", atLeast);
      json.add("allowed", Json.rounded(allowed()));
      json.addProperty("samples", samples);
      json.addProperty("agrees", agrees());
      return json;
    }

    /** The form of search.json for a run. */
    static JsonElement orNull(LittlesLaw law) {
      return law == null ? JsonNull.INSTANCE : law.toJson();
    }
  }
}
