package io.shardload.results.measured;

import com.google.gson.JsonObject;
import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.Issued;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.PlanSums;
import io.shardload.generator.schedule.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Compares what the generators began and dropped with the plan, which is computed again from the
 * configuration of the run: the number of arrivals, in the open model in each segment, the sum of
 * their indexes and the fingerprints. Overload changes none of these: what is not begun is dropped.
 *
 * @param differences in words; empty if there are none
 * @param unchecked why nothing could be compared; empty after a comparison, and if no generator
 *     left a record of what it began
 */
public record PlanCheck(List<String> differences, String unchecked) {
  private static final PlanCheck NOTHING = new PlanCheck(List.of(), "");

  public static PlanCheck of(Bundle bundle) {
    List<GeneratorLog> ended =
        bundle.generators().stream().filter(one -> one.end() != null).toList();
    boolean issued = ended.stream().anyMatch(one -> one.end().issued() != null);
    Plan plan;
    try {
      plan = Plan.read(bundle.run());
    } catch (ConfigException e) {
      return issued
          ? unchecked("this version of shardload cannot read the plan: " + e.getMessage())
          : NOTHING;
    }
    if (fits(bundle, plan) || (hash(bundle).isEmpty() && issued)) {
      List<String> differences = compare(bundle, plan, ended);
      if (differences.isEmpty()) {
        differences.addAll(union(bundle, plan, ended));
      }
      return new PlanCheck(differences, "");
    }
    return issued
        ? unchecked("this version of shardload makes a different plan from the configuration")
        : NOTHING;
  }

  /** A generator without a controller has none. */
  private static String hash(Bundle bundle) {
    return Json.text(bundle.run(), "schedule_hash", "");
  }

  private static boolean fits(Bundle bundle, Plan plan) {
    return hash(bundle).equals(plan.hash());
  }

  /** The plan of a run, or null if this version cannot make it. */
  public static Plan plan(Bundle bundle) {
    try {
      Plan plan = Plan.read(bundle.run());
      return fits(bundle, plan) ? plan : null;
    } catch (ConfigException e) {
      return null;
    }
  }

  private static PlanCheck unchecked(String why) {
    return new PlanCheck(List.of(), why);
  }

  private static List<String> compare(Bundle bundle, Plan plan, List<GeneratorLog> ended) {
    List<String> differences = new ArrayList<>();
    int generators = plan.schedule().load().generators();
    long[] extents = new long[generators];
    List<GeneratorLog> comparable = new ArrayList<>();
    for (GeneratorLog generator : ended) {
      String stranger = stranger(plan, generator);
      if (stranger.isEmpty()) {
        comparable.add(generator);
        extents[generator.generator()] =
            plan.schedule().load().open()
                ? generator.end().actualEndNanos()
                : generator.end().issued().all().number();
      } else {
        differences.add(bundle.name(generator.generator()) + " " + stranger);
      }
    }
    PlanSums planned = PlanSums.of(plan, extents);
    for (GeneratorLog generator : comparable) {
      String difference = difference(plan, planned, generator);
      if (!difference.isEmpty()) {
        differences.add(bundle.name(generator.generator()) + " " + difference);
      }
    }
    return differences;
  }

  /** Why a generator's sums belong to no part of this plan; empty if they do. */
  private static String stranger(Plan plan, GeneratorLog generator) {
    int generators = plan.schedule().load().generators();
    int number = generator.generator();
    Issued issued = generator.end().issued();
    if (issued == null) {
      return "did not record which arrivals it began";
    }
    if (number >= generators || issued.generator() != number || issued.generators() != generators) {
      return "took the arrivals of generator %d of %d, but the plan is for %d generators"
          .formatted(issued.generator(), issued.generators(), generators);
    }
    if (issued.hashedShift() != plan.hashedShift()) {
      return "ran a different plan: it adds the fingerprints of one in 2^%d arrivals, not of one in 2^%d"
          .formatted(issued.hashedShift(), plan.hashedShift());
    }
    return "";
  }

  /**
   * The differences between all generators together and the plan of a single one, if all reached
   * its end; in the open model, where both have the same arrivals.
   */
  private static List<String> union(Bundle bundle, Plan plan, List<GeneratorLog> ended) {
    int generators = plan.schedule().load().generators();
    long planEnd = plan.schedule().endNanos();
    boolean whole =
        plan.schedule().load().open()
            && generators > 1
            && ended.size() == generators
            && ended.stream().allMatch(one -> one.end().actualEndNanos() >= planEnd);
    if (!whole) {
      return List.of();
    }
    JsonObject run = bundle.run().deepCopy();
    run.getAsJsonObject("load").addProperty("generators", 1);
    run.getAsJsonObject("load").addProperty("generator", 0);
    Plan single = Plan.read(run);
    ArrivalSum expected = PlanSums.of(single, new long[] {planEnd}).ofGenerator(0);
    ArrivalSum all = new ArrivalSum();
    ended.forEach(one -> all.add(one.end().issued().all()));
    // For longer plans the choice of fingerprints depends on the number of generators.
    boolean everyFingerprint = plan.hashedShift() == 0 && single.hashedShift() == 0;
    if (all.number() != expected.number()
        || !all.sameIndexes(expected)
        || (everyFingerprint && !all.sameFingerprints(expected))) {
      return List.of(
          "all generators together began and dropped %d arrivals; these are not the %d arrivals of the plan"
              .formatted(all.number(), expected.number()));
    }
    return List.of();
  }

  /** The first difference. */
  private static String difference(Plan plan, PlanSums planned, GeneratorLog generator) {
    int number = generator.generator();
    ArrivalSum issued = generator.end().issued().all();
    ArrivalSum expected = planned.ofGenerator(number);
    if (issued.number() != expected.number()) {
      return "began and dropped %d arrivals, but the plan has %d until the generator's end"
          .formatted(issued.number(), expected.number());
    }
    if (!issued.sameIndexes(expected)) {
      return "skipped some arrivals of the plan and began others twice: the sum of their indexes"
          + " differs";
    }
    if (!issued.sameFingerprints(expected)) {
      return "began arrivals with other times, transactions or draws than the plan's: the sum of"
          + " their fingerprints differs";
    }
    return plan.schedule().load().open() ? segments(plan, planned, generator) : "";
  }

  private static String segments(Plan plan, PlanSums planned, GeneratorLog generator) {
    List<Segment> segments = plan.schedule().segments();
    Map<String, Map<String, Long>> scheduled = generator.end().scheduled();
    for (int s = 0; s < segments.size(); s++) {
      String name = segments.get(s).name();
      long counted =
          scheduled.getOrDefault(name, Map.of()).values().stream().mapToLong(n -> n).sum();
      long expected = planned.ofSegment(generator.generator(), s);
      if (counted != expected) {
        return "counted %d scheduled arrivals in %s, but the plan has %d"
            .formatted(counted, name, expected);
      }
    }
    return "";
  }
}
