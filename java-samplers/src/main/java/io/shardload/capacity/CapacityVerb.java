package io.shardload.capacity;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.report.OfflinePage;
import io.shardload.report.StaticPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** As the finding of a run. */
  private static final double ALL_BUSY_PERCENT = 95;

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
    search.addProperty("workers", workers(search));
    WholeFile.writeJson(record, search);
    Path page = directory.resolve(PAGE);
    List<String> lines = lines(search);
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

  /** Whether the runs that decided had too few workers, in words; null if not. */
  private static String workers(JsonObject search) {
    boolean bad = search.has("high") && search.get("high").isJsonObject();
    double rate = Json.number(Json.object(search, bad ? "high" : "low"), "rate", Double.NaN);
    double least = Double.NaN;
    for (JsonElement element : Json.array(search, "runs")) {
      JsonObject run = element.getAsJsonObject();
      boolean decided = Json.text(run, "outcome", "").equals(bad ? "bad" : "good");
      if (decided && Json.number(run, "rate", Double.NaN) == rate) {
        double busy = Json.number(run, "workers_busy_percent", 0);
        least = Double.isNaN(least) ? busy : Math.min(least, busy);
      }
    }
    return least > ALL_BUSY_PERCENT
        ? String.format(
            Locale.ROOT,
            "at %,.0f/s all workers were busy for %.0f %% of the time: more workers (--concurrency)"
                + " might carry more",
            rate,
            Math.floor(least))
        : null;
  }

  private static List<String> lines(JsonObject search) {
    List<String> lines = new ArrayList<>();
    lines.add(Json.text(search, "text", "the search is not finished"));
    if (search.has("workers") && !search.get("workers").isJsonNull()) {
      lines.add("workers  " + Json.text(search, "workers", ""));
    }
    int checked = 0;
    List<String> against = new ArrayList<>();
    for (JsonElement element : Json.array(search, "runs")) {
      JsonObject run = element.getAsJsonObject();
      JsonObject little = Json.object(run, "little");
      if (little.has("agrees")) {
        checked++;
        if (!Json.flag(little, "agrees")) {
          against.add(String.valueOf(Json.integer(run, "number", 0)));
        }
      }
    }
    if (checked == 0) {
      return lines;
    }
    lines.add(
        "little   in %d of %d runs concurrency = rate x time%s"
            .formatted(
                checked - against.size(),
                checked,
                against.isEmpty() ? "" : "; not in run " + String.join(", ", against)));
    return lines;
  }
}
