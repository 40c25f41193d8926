package io.shardload.history;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The history of a folder of runs.
 *
 * @param judged whose regressions count: the runs that were just added, or else the newest one of
 *     each curve
 */
record History(List<Curve> curves, List<Judged> judged, double share) {
  /** Names to show; an empty one is any. */
  record Filter(String target, String workload, String profile) {
    boolean matches(KeptRun run) {
      return matches(target, run.target())
          && matches(workload, run.workload())
          && matches(profile, run.profile());
    }

    private static boolean matches(String wanted, String name) {
      return wanted.isEmpty() || wanted.equals(name);
    }
  }

  /**
   * Judges all runs of the filter.
   *
   * @param added the runs that were just added; null without such a request
   */
  static History of(List<KeptRun> runs, Filter filter, Set<String> added, double share) {
    List<Curve> curves = Curve.of(runs.stream().filter(filter::matches).toList(), share);
    List<Judged> judged = new ArrayList<>();
    for (Curve curve : curves) {
      if (added == null) {
        judged.add(curve.newest());
      } else {
        curve.points().stream()
            .filter(one -> one.point().runs().stream().anyMatch(run -> added.contains(run.id())))
            .forEach(judged::add);
      }
    }
    return new History(curves, judged, share);
  }

  /** One line for each regression that counts. */
  List<String> regressions() {
    List<String> lines = new ArrayList<>();
    for (Judged one : judged) {
      one.regressions().forEach(figure -> lines.add(name(one) + ": " + figure.text()));
    }
    return lines;
  }

  /** One line for each run that counts and has an unjudged value. */
  List<String> notes() {
    List<String> lines = new ArrayList<>();
    for (Judged one : judged) {
      if (!one.isJudged()) {
        lines.add(name(one) + " is not judged: " + why(one));
      }
    }
    return lines;
  }

  private static String why(Judged one) {
    if (!one.point().isValid()) {
      return "the run is " + one.point().worst().verdict();
    }
    if (one.comparable() >= Judgement.LEAST) {
      Set<String> reasons = new TreeSet<>();
      one.judgements()
          .values()
          .forEach(figure -> reasons.add(figure.figure().title + ": " + figure.reason()));
      return String.join("; ", reasons);
    }
    String others =
        one.differing().entrySet().stream()
            .map(each -> each.getKey() + " (" + each.getValue() + ")")
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%d of the %d comparable valid runs needed%s",
        one.comparable(),
        Judgement.LEAST,
        others.isEmpty() ? "" : "; other runs differ in " + others);
  }

  private static String name(Judged one) {
    KeptRun first = one.point().first();
    String number = first.build().number();
    return first.target()
        + " "
        + first.profile()
        + ", "
        + (number.isEmpty() ? one.point().name() : "build " + number);
  }

  /** {@code percent curves judged regressions notes}; {@link Judged#toJson} has the points. */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("percent", 100 * share);
    JsonArray all = new JsonArray();
    curves.forEach(curve -> all.add(curve.toJson()));
    json.add("curves", all);
    json.add("judged", Json.strings(judged.stream().map(one -> one.point().name()).toList()));
    json.add("regressions", Json.strings(regressions()));
    json.add("notes", Json.strings(notes()));
    return json;
  }
}
