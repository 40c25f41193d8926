package io.shardload.results.measured;

import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.Issued;
import io.shardload.bundle.Json;
import io.shardload.config.ConfigException;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.PlanSums;
import io.shardload.generator.schedule.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Compares what the generators began and dropped with the plan, which is made anew from the
 * configuration of the run: the number of arrivals, in the open model in each segment, the sum of
 * their indexes and the fingerprints. Overload changes none of these: what is not begun is dropped.
 *
 * @param differences in words; empty if there are none
 * @param unchecked why nothing could be compared; empty if it was, and in bundles of versions whose
 *     generators did not say what they began
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
      return issued ? unchecked("this version cannot read its plan: " + e.getMessage()) : NOTHING;
    }
    // A generator without a controller has none.
    String hash = Json.text(bundle.run(), "schedule_hash", "");
    if (hash.equals(plan.hash()) || (hash.isEmpty() && issued)) {
      return new PlanCheck(compare(plan, ended), "");
    }
    return issued ? unchecked("this version makes another plan of its configuration") : NOTHING;
  }

  private static PlanCheck unchecked(String why) {
    return new PlanCheck(List.of(), why);
  }

  private static List<String> compare(Plan plan, List<GeneratorLog> ended) {
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
        differences.add("generator " + generator.generator() + " " + stranger);
      }
    }
    PlanSums planned = PlanSums.of(plan, extents);
    for (GeneratorLog generator : comparable) {
      String difference = difference(plan, planned, generator);
      if (!difference.isEmpty()) {
        differences.add("generator " + generator.generator() + " " + difference);
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
      return "does not say which arrivals it began";
    }
    if (number >= generators || issued.generator() != number || issued.generators() != generators) {
      return "took the arrivals of generator %d of %d, and the plan is for %d"
          .formatted(issued.generator(), issued.generators(), generators);
    }
    if (issued.hashedShift() != plan.hashedShift()) {
      return "began another plan: it adds the fingerprints of one in 2^%d arrivals, not of 2^%d"
          .formatted(issued.hashedShift(), plan.hashedShift());
    }
    return "";
  }

  /** What differs first. */
  private static String difference(Plan plan, PlanSums planned, GeneratorLog generator) {
    int number = generator.generator();
    ArrivalSum issued = generator.end().issued().all();
    ArrivalSum expected = planned.ofGenerator(number);
    if (issued.number() != expected.number()) {
      return "began and dropped %d arrivals, and the plan has %d until its end"
          .formatted(issued.number(), expected.number());
    }
    if (!issued.sameIndexes(expected)) {
      return "left arrivals of the plan out and began others twice: the sum of their indexes"
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
        return "counted %d scheduled arrivals in %s, and the plan has %d"
            .formatted(counted, name, expected);
      }
    }
    return "";
  }
}
