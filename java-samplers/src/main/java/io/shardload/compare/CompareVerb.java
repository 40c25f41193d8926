package io.shardload.compare;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.report.OfflinePage;
import io.shardload.report.StaticPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The verb {@code compare} of the controller's child. */
public final class CompareVerb {
  private static final String METHOD =
      "The unit is the run, not the request. Each round gives the ratio of a side to the base, A;"
          + " the result is the geometric mean of these ratios, with Student's 95 % interval of"
          + " their logarithms (paired, n - 1 degrees of freedom). The order of the sides turns"
          + " from round to round (ABBA BAAB), so that a steady drift cancels out. \"Higher\" and"
          + " \"lower\" mean that the whole interval lies on one side of 1. \"No difference shown\""
          + " does not prove that there is none: the smallest detectable difference is what as many"
          + " rounds with this spread would show in four of five series. The number of rounds for 5"
          + " % is what a series with this spread needs to show a difference of 5 %. Nothing is"
          + " judged with fewer than five rounds, or if the numbers of rounds in which each side"
          + " ran first differ by more than one. Latencies are not judged if the shares of failed"
          + " and unknown calls differ by more than 1 % of calls. A percentile among dropped"
          + " arrivals is a lower bound, and so is its ratio. It is higher only if it is higher in"
          + " every one of at least six rounds. Single runs: a moving-block bootstrap over"
          + " intervals of one second shows how the ratio of the mean service times would vary if"
          + " these two runs went on. It does not know what differs between runs, so nothing is"
          + " judged. Each verdict holds by itself, at 95 %, however much the runs vary: of twenty"
          + " figures without a difference, about one looks different. Decide by the whole table.";
  private static final List<String> STYLES =
      List.of("report/page.css", "report/parts.css", "compare/compare.css");
  private static final List<String> SCRIPTS =
      List.of(
          "report/base.js",
          "report/chart.js",
          "compare/sides.js",
          "compare/bars.js",
          "compare/forest.js",
          "compare/curves.js",
          "compare/tables.js",
          "compare/main.js");

  private CompareVerb() {}

  /**
   * Compares runs and writes {@code compare.json} and {@code compare.html}.
   *
   * @param request {@code directory} for both files; {@code runs [{bundle, side, round}]}; for a
   *     series also {@code sides [{label, name}]} and {@code varied}, the keys that were varied;
   *     {@code static_into}, a folder for the page without scripts, if it is asked for; {@code
   *     brief}, whether the lines have no tables
   * @return {@code lines} for the console, {@code report} (path of the page)
   * @throws IOException if a bundle has no run.json or a file cannot be read or written
   */
  public static JsonObject run(JsonObject request) throws IOException {
    Path directory = Path.of(request.get("directory").getAsString());
    List<Sides.Side> all = Sides.read(request);
    List<Sides.Side> sides = Sides.withRuns(all);
    if (sides.stream().mapToInt(side -> side.runs().size()).sum() < 2) {
      throw new ConfigException("compare", "needs at least two runs, or a series");
    }
    List<String> varied = new ArrayList<>();
    for (JsonElement key : Json.array(request, "varied")) {
      varied.add(key.getAsString());
    }
    List<RunFacts> facts = sides.stream().flatMap(Sides.Side::stream).map(Machines::facts).toList();
    Aspect.variedOptions(facts).stream().filter(key -> !varied.contains(key)).forEach(varied::add);
    Path staticPage = staticPage(request);
    if (Promises.differOnPurpose(facts.stream().map(RunFacts::config))) {
      varied.add(Promises.KEY);
    }
    Comparison comparison = Comparison.of(sides);
    List<Comparability> differences = Comparability.of(sides, varied);
    List<String> notes = Comparability.notes(all);
    Sides.left(all).ifPresent(notes::add);
    List<Growth> growth =
        Growth.of(comparison, differences, varied).stream().filter(Growth::isKnown).toList();
    List<Drift> drift = sides.stream().map(Drift::of).flatMap(Optional::stream).toList();

    JsonObject json = new JsonObject();
    json.add("varied", Json.strings(varied));
    json.add("not_comparable", Json.each(differences, Comparability::toJson));
    json.add("notes", Json.strings(notes));
    json.addProperty("method", METHOD);
    comparison.toJson().asMap().forEach(json::add);
    json.add("growth", Json.each(growth, Growth::toJson));
    json.add("drift", Json.each(drift, Drift::toJson));
    Path page = directory.resolve("compare.html");
    List<String> changes = new ArrayList<>();
    growth.forEach(one -> changes.add("growth  " + one.sentence()));
    drift.stream().filter(Drift::isShown).forEach(one -> changes.add("drift  " + one.sentence()));
    List<String> lines = Lines.of(comparison, differences, notes, changes, page);
    Files.createDirectories(directory);
    WholeFile.writeJson(directory.resolve("compare.json"), json);
    String title = String.join(" and ", sides.stream().map(Sides.Side::name).toList());
    json.add("over_time", OverTime.toJson(comparison.countedRuns()));
    WholeFile.write(page, OfflinePage.html(title, STYLES, SCRIPTS, json, lines));
    if (staticPage != null) {
      StaticPage.write(staticPage, title, STYLES, SCRIPTS, json);
      lines.add("static  " + StaticPage.in(staticPage));
    }

    if (Json.flag(request, "brief")) {
      lines.subList(lines.indexOf(""), lines.lastIndexOf("") + 1).clear();
    }
    JsonObject reply = new JsonObject();
    reply.add("lines", Json.strings(lines));
    reply.addProperty("report", page.toString());
    return reply;
  }

  /** The folder for the page without scripts, ready to be written to, or null. */
  private static Path staticPage(JsonObject request) {
    if (!request.has("static_into")) {
      return null;
    }
    Path into = Path.of(request.get("static_into").getAsString());
    StaticPage.check(into);
    return into;
  }
}
