package io.shardload.history;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The runs of one target, workload and profile.
 *
 * @param points in order of time; at least one
 */
record Curve(String target, String workload, String profile, List<Judged> points) {
  /** The curves of a folder, by their names. */
  static List<Curve> of(List<KeptRun> runs, double share) {
    Comparator<List<String>> byName = Comparator.comparing(key -> String.join("\n", key));
    Map<List<String>, List<KeptRun>> groups = new TreeMap<>(byName);
    for (KeptRun run : runs) {
      List<String> key = List.of(run.target(), run.workload(), run.profile());
      groups.computeIfAbsent(key, any -> new ArrayList<>()).add(run);
    }
    List<Curve> curves = new ArrayList<>();
    groups.forEach(
        (key, members) ->
            curves.add(new Curve(key.get(0), key.get(1), key.get(2), judge(members, share))));
    return curves;
  }

  private static List<Judged> judge(List<KeptRun> runs, double share) {
    List<Point> points = Point.of(runs);
    List<Judged> judged = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      judged.add(Judged.of(points.get(i), points.subList(0, i), share));
    }
    return judged;
  }

  String name() {
    return target + ", " + workload + ", " + profile;
  }

  Judged newest() {
    return points.get(points.size() - 1);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("target", target);
    json.addProperty("workload", workload);
    json.addProperty("profile", profile);
    json.add("points", Judged.toJson(points));
    return json;
  }
}
