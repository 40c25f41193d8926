package io.shardload.report;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.results.Evaluation;
import io.shardload.results.Summary;
import io.shardload.results.Verdict;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Segments;
import io.shardload.results.measured.Timeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The verb {@code finish} of the controller's child: judges a bundle and writes summary and page.
 * It may be repeated, also on bundles of older versions.
 */
public final class FinishVerb {
  private FinishVerb() {}

  /**
   * Writes summary.json and report.html.
   *
   * @param bundle directory of the run bundle
   * @return {@code verdict} (as in the summary), {@code exit}, {@code report} (path of the page)
   *     and {@code lines} for the console
   * @throws IOException if run.json is missing or the bundle cannot be read or written
   */
  public static JsonObject finish(Path bundle) throws IOException {
    Bundle read = BundleReader.read(bundle);
    Segments segments = Segments.of(read);
    Timeline timeline = new Timeline(read, segments);
    Evaluation run =
        Evaluation.of(
            read, segments, Distributions.read(read, segments, timeline.widthSeconds(), timeline));
    Verdict verdict = Verdict.of(run);
    JsonObject summary = Summary.of(run, verdict);
    BundleLayout layout = new BundleLayout(bundle);
    Path report = layout.report();
    List<String> lines = ClosingLines.of(run, verdict, report);
    WholeFile.writeJson(layout.summary(), summary);
    WholeFile.write(report, Page.html(run, summary, timeline, lines));

    JsonObject reply = new JsonObject();
    reply.add("verdict", verdict.toJson());
    reply.addProperty("exit", verdict.code());
    reply.addProperty("report", report.toString());
    reply.add("lines", Json.strings(lines));
    return reply;
  }
}
