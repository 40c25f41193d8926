package io.shardload.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.report.StaticPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The verb {@code history} of the controller's child. */
public final class HistoryVerb {
  private static final List<String> STYLES =
      List.of("report/page.css", "report/parts.css", "history/history.css");
  private static final List<String> SCRIPTS =
      List.of("report/base.js", "report/chart.js", "history/curves.js", "history/main.js");

  private HistoryVerb() {}

  /**
   * Judges the runs of a folder and, if asked, writes a page.
   *
   * @param request {@code directory} of the runs; {@code target}, {@code workload} and {@code
   *     profile} to show, all if absent; {@code known}, the {@code targets}, {@code workloads} and
   *     {@code profiles} that may have no run; {@code only}, the names of the runs to show and
   *     compare, all if absent; {@code percent} that a regression exceeds; {@code added}, the runs
   *     that count, the newest ones if absent; {@code page}, a folder; {@code bundles}, a folder
   *     where whole runs may be, which the page links
   * @return {@link History#toJson}, {@code warnings} and {@code present}: {@code targets}, {@code
   *     workloads} and {@code profiles} that the folder holds
   * @throws IOException if the folder cannot be read or the page cannot be written
   */
  public static JsonObject run(JsonObject request) throws IOException {
    Folder folder = Folder.read(Path.of(request.get("directory").getAsString()));
    History.Filter filter =
        new History.Filter(
            Json.text(request, "target", ""),
            Json.text(request, "workload", ""),
            Json.text(request, "profile", ""));
    Set<String> added = null;
    if (request.has("added")) {
      added = new TreeSet<>();
      for (var name : Json.array(request, "added")) {
        added.add(name.getAsString());
      }
    }
    JsonObject present = present(folder.runs());
    check("target", filter.target(), present, request);
    check("workload", filter.workload(), present, request);
    check("profile", filter.profile(), present, request);
    double share = Json.number(request, "percent", 10) / 100;
    History history = History.of(chosen(folder.runs(), request), filter, added, share);
    JsonObject reply = history.toJson();
    reply.add("warnings", Json.strings(folder.warnings()));
    reply.add("present", present);
    String page = Json.text(request, "page", "");
    if (!page.isEmpty()) {
      JsonObject drawn = reply.deepCopy();
      for (JsonElement curve : Json.array(drawn, "curves")) {
        for (JsonElement point : Json.array(curve.getAsJsonObject(), "points")) {
          link(point.getAsJsonObject(), request, Path.of(page).toAbsolutePath().normalize());
        }
      }
      StaticPage.write(Path.of(page), title(filter), STYLES, SCRIPTS, drawn);
    }
    return reply;
  }

  /** Adds {@code page}: the path from a folder to the page of the run or series, if it exists. */
  private static void link(JsonObject point, JsonObject request, Path from) {
    Stream.of("directory", "bundles")
        .filter(request::has)
        .map(key -> Path.of(request.get(key).getAsString(), Json.text(point, "name", "")))
        .flatMap(run -> Stream.of(new BundleLayout(run).report(), run.resolve("compare.html")))
        .filter(Files::isRegularFile)
        .findFirst()
        .map(page -> from.relativize(page.toAbsolutePath().normalize()))
        .ifPresent(path -> point.addProperty("page", path.toString()));
  }

  private static List<KeptRun> chosen(List<KeptRun> runs, JsonObject request) {
    if (!request.has("only")) {
      return runs;
    }
    Set<String> names = new TreeSet<>();
    Json.array(request, "only").forEach(name -> names.add(name.getAsString()));
    return runs.stream().filter(run -> names.contains(run.id())).toList();
  }

  /** Refuses a name without runs, unless it is a known target, workload or profile. */
  private static void check(String what, String name, JsonObject present, JsonObject request) {
    Set<String> names = names(present, what);
    Set<String> known = names(Json.object(request, "known"), what);
    if (!name.isEmpty() && !names.contains(name) && !known.contains(name)) {
      names.addAll(names.isEmpty() ? known : Set.of());
      throw ConfigException.unknown(what, what, name, names);
    }
  }

  private static Set<String> names(JsonObject from, String what) {
    Set<String> names = new TreeSet<>();
    Json.array(from, what + "s").forEach(name -> names.add(name.getAsString()));
    return names;
  }

  private static JsonObject present(List<KeptRun> runs) {
    Set<String> targets = new TreeSet<>();
    Set<String> workloads = new TreeSet<>();
    Set<String> profiles = new TreeSet<>();
    for (KeptRun run : runs) {
      targets.add(run.target());
      workloads.add(run.workload());
      profiles.add(run.profile());
    }
    JsonObject json = new JsonObject();
    json.add("targets", Json.strings(targets));
    json.add("workloads", Json.strings(workloads));
    json.add("profiles", Json.strings(profiles));
    return json;
  }

  private static String title(History.Filter filter) {
    return "History" + (filter.target().isEmpty() ? "" : " of " + filter.target());
  }

  /**
   * What a folder of runs holds.
   *
   * @param warnings one line for each run that cannot be used
   */
  private record Folder(List<KeptRun> runs, List<String> warnings) {
    /** The prefix of folders that are being filled, and of other hidden files. */
    private static final String HIDDEN = ".";

    /** Reads the runs in a folder; other folders are skipped. */
    static Folder read(Path directory) throws IOException {
      List<Path> folders;
      try (Stream<Path> files = Files.list(directory)) {
        folders =
            files
                .filter(one -> !one.getFileName().toString().startsWith(HIDDEN))
                .filter(Files::isDirectory)
                .sorted()
                .toList();
      }
      KeptRun.Conditions.Pool pool = new KeptRun.Conditions.Pool();
      Folder found = new Folder(new ArrayList<>(), new ArrayList<>());
      for (Path folder : folders) {
        if (isRun(folder)) {
          try {
            found.runs.add(KeptRun.read(folder, pool));
          } catch (KeptRun.Damaged e) {
            found.warnings.add(folder.getFileName() + " is left out: " + e.getMessage());
          }
        }
      }
      return found;
    }

    /**
     * The folder may also contain series, comparisons and calibrations. An empty folder, or one
     * with a part of a run's files, counts as an incompletely copied run.
     */
    private static boolean isRun(Path folder) throws IOException {
      BundleLayout layout = new BundleLayout(folder);
      if (Stream.of(layout.run(), layout.summary(), layout.environment(), layout.outcome())
          .anyMatch(Files::exists)) {
        return true;
      }
      try (Stream<Path> files = Files.list(folder)) {
        return files.findAny().isEmpty();
      }
    }
  }
}
