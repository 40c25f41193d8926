package io.shardload.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * report.html: one file without any request to anywhere.
 *
 * <p>The page is a template with a style sheet, a script and the run's data as JSON. Its content
 * security policy allows exactly that style and that script, by hash. The data is escaped so that
 * it cannot end its own element, and the script writes text with textContent only, so nothing that
 * a run, a server or a file name contributes can become markup.
 */
final class Page {
  private static final List<String> SCRIPTS =
      List.of(
          "base.js", "chart.js", "sections.js", "tables.js", "curves.js", "evidence.js", "main.js");
  private static final List<String> STYLES = List.of("page.css", "parts.css");

  private static final Pattern PLACE = Pattern.compile("@([a-z-]+)@");

  private Page() {}

  /**
   * The page.
   *
   * @param summary as in summary.json
   * @param timeline rates and latencies over time
   * @param lines the closing lines, for readers without scripts
   */
  static String html(Evaluation run, JsonObject summary, JsonObject timeline, List<String> lines)
      throws IOException {
    String style = join(STYLES);
    String script = join(SCRIPTS);
    Map<String, String> places =
        Map.of(
            "title", escape(Json.text(summary, "run_id", "run")),
            "style-hash", hash(style),
            "script-hash", hash(script),
            "style", style,
            "script", script,
            "lines", escape(String.join("\n", lines)),
            "data", Json.FOR_HTML.toJson(data(run, summary, timeline)));
    // One pass: what is filled in is never searched for places again.
    return PLACE
        .matcher(resource("page.html"))
        .replaceAll(place -> Matcher.quoteReplacement(places.get(place.group(1))));
  }

  private static JsonObject data(Evaluation run, JsonObject summary, JsonObject timeline) {
    Bundle bundle = run.bundle();
    JsonObject data = new JsonObject();
    data.add("summary", summary);
    data.add("config", bundle.run());
    data.add(
        "environment", bundle.environment() == null ? JsonNull.INSTANCE : bundle.environment());
    data.add("outcome", bundle.outcome() == null ? JsonNull.INSTANCE : bundle.outcome());
    data.add("evidence", bundle.evidence() == null ? JsonNull.INSTANCE : bundle.evidence());
    data.addProperty("open_model", bundle.open());
    data.addProperty("noop", bundle.noop());
    data.addProperty(
        "ledger_closed", run.ledgers().scheduledKnown() && run.ledgers().openEquations().isEmpty());
    data.addProperty("result_seconds", run.resultSeconds());
    data.add("results", Json.strings(Segments.names(run.segments().results())));
    data.add("segments", segments(run));
    data.add("latencies", latencies(run));
    data.add("curves", curves(run));
    data.add("timeline", timeline);
    return data;
  }

  private static JsonArray segments(Evaluation run) {
    JsonArray array = new JsonArray();
    for (Segment segment : run.segments().all()) {
      JsonObject json = new JsonObject();
      json.addProperty("name", segment.name());
      json.addProperty("kind", segment.kind());
      json.addProperty("from", segment.fromNanos() / 1e9);
      json.addProperty("to", segment.toNanos() / 1e9);
      array.add(json);
    }
    return array;
  }

  /** Every series over all transactions of the result. */
  private static JsonObject latencies(Evaluation run) {
    JsonObject json = new JsonObject();
    for (String series : Distributions.SERIES) {
      json.add(
          series + "_ns",
          Percentiles.of(series, run.distributions().all(series), run.results()).toJson());
    }
    return json;
  }

  /** Latency by percentile per transaction, and for all together under the empty name. */
  private static JsonObject curves(Evaluation run) {
    JsonObject json = new JsonObject();
    json.add(
        Timeline.ALL,
        curve(
            Percentiles.of("service", run.distributions().all("service"), run.results()),
            Percentiles.of("response", run.distributions().all("response"), run.results())));
    for (String name : run.ledgers().transactions()) {
      Counts counts = run.ledgers().ofTransaction(name, Segments.names(run.segments().results()));
      Distributions all = run.distributions();
      json.add(
          name,
          curve(
              Percentiles.of("service", all.ofTransaction(name, "service"), counts),
              Percentiles.of("response", all.ofTransaction(name, "response"), counts)));
    }
    return json;
  }

  private static JsonObject curve(Percentiles service, Percentiles response) {
    JsonObject json = new JsonObject();
    json.add("service", service.curve());
    json.add("response", response.curve());
    return json;
  }

  private static String join(List<String> names) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String name : names) {
      all.append(resource(name)).append('\n');
    }
    return all.toString();
  }

  private static String resource(String name) throws IOException {
    try (InputStream stream = Page.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new FileNotFoundException("the class path lacks io/shardload/report/" + name);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** As a content security policy names an inline element: {@code sha256-} and base64. */
  private static String hash(String element) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] bytes = digest.digest(element.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
