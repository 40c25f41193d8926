package io.shardload.report;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.results.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The verb {@code finish} of the controller's child: judges a bundle and writes summary, page and
 * JUnit results. It can be repeated.
 */
public final class FinishVerb {
  private FinishVerb() {}

  /**
   * Writes summary.json, report.html and junit.xml.
   *
   * @param bundle directory of the run bundle
   * @return {@code verdict} (as in the summary), {@code exit}, {@code report} (path of the page)
   *     and {@code lines} for the console
   * @throws IOException if run.json is missing or the bundle cannot be read or written
   */
  public static JsonObject finish(Path bundle) throws IOException {
    Page.JudgedRun judged = Page.JudgedRun.read(bundle);
    Verdict verdict = judged.verdict();
    BundleLayout layout = new BundleLayout(bundle);
    Path report = layout.report();
    List<String> lines = ClosingLines.of(judged.run(), verdict, report);
    WholeFile.writeJson(layout.summary(), judged.summary());
    WholeFile.write(report, Page.html(judged, lines));
    WholeFile.write(layout.junit(), JunitXml.of(judged.run(), judged.summary(), lines));

    JsonObject reply = new JsonObject();
    reply.add("verdict", verdict.toJson());
    reply.addProperty("exit", verdict.code());
    reply.addProperty("report", report.toString());
    reply.add("lines", Json.strings(lines));
    return reply;
  }

  /**
   * The verb {@code static}: judges a bundle and writes its page for servers that allow no script,
   * and changes nothing in the bundle.
   *
   * @param bundle directory of the run bundle
   * @param into see {@link StaticPage#write}
   * @return {@code report} (path of the page)
   * @throws IOException if run.json is missing or the bundle cannot be read
   */
  public static JsonObject staticPage(Path bundle, Path into) throws IOException {
    Page.write(into, Page.JudgedRun.read(bundle));
    JsonObject reply = new JsonObject();
    reply.addProperty("report", StaticPage.in(into).toString());
    return reply;
  }
}
