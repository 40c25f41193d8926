package io.shardload.results.measured;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The faults of a run in order of time, and which parts of the run they spoiled. Times are
 * nanoseconds since the start of the load.
 *
 * @param effects of all faults of the configuration
 * @param spoiled from the second in which a fault began until rate and p99 were back; to the end of
 *     the load if they never were
 */
public record FaultEffects(List<FaultEffect> effects, List<GeneratorLog.Span> spoiled) {
  private static final long NEVER = FaultSeconds.NEVER;

  static final FaultEffects NONE = new FaultEffects(List.of(), List.of());

  /** Without faults in run.json it reads nothing. */
  public static FaultEffects of(Bundle bundle, Segments segments) throws IOException {
    if (Json.array(bundle.run(), "faults").isEmpty()) {
      return NONE;
    }
    Map<String, FaultsFile.Fault> known = new HashMap<>();
    for (FaultsFile.Fault fault : FaultsFile.read(new BundleLayout(bundle.directory()).faults())) {
      known.put(fault.name(), fault);
    }
    FaultSeconds seconds = new FaultSeconds(bundle);
    Distributions.read(bundle, segments, NONE, 1, seconds);
    return new Search(bundle, seconds, known).run(start(segments));
  }

  private static long start(Segments segments) {
    return segments.withoutWarmUp().stream().mapToLong(Segment::fromNanos).min().orElse(0);
  }

  public boolean isEmpty() {
    return effects.isEmpty();
  }

  /** Whether a moment is outside of the faults. */
  boolean isOutside(double seconds) {
    return spoiled.stream()
        .noneMatch(one -> one.fromNanos() <= seconds * 1e9 && seconds * 1e9 < one.toNanos());
  }

  /** The parts of these segments that are outside of the faults, with the segments' names. */
  public List<Segment> outside(List<Segment> segments) {
    List<Segment> parts = new ArrayList<>();
    for (Segment segment : segments) {
      long from = segment.fromNanos();
      for (GeneratorLog.Span one : spoiled) {
        segment.part(from, Math.min(one.fromNanos(), segment.toNanos())).ifPresent(parts::add);
        from = Math.max(from, one.toNanos());
      }
      segment.part(from, segment.toNanos()).ifPresent(parts::add);
    }
    return parts;
  }

  /** Looks for the effects of the faults of a run, one after the other. */
  private static final class Search {
    private final Bundle bundle;
    private final FaultSeconds seconds;
    private final Map<String, FaultsFile.Fault> known;
    private final List<GeneratorLog.Span> silences = new ArrayList<>();
    private final List<GeneratorLog.Burst> bursts = new ArrayList<>();
    private final List<FaultEffect> effects = new ArrayList<>();
    private final List<GeneratorLog.Span> spoiled = new ArrayList<>();

    Search(Bundle bundle, FaultSeconds seconds, Map<String, FaultsFile.Fault> known) {
      this.bundle = bundle;
      this.seconds = seconds;
      this.known = known;
      for (GeneratorLog stream : Distributions.intervals(bundle)) {
        silences.addAll(stream.silences());
        bursts.addAll(stream.errorBursts());
      }
    }

    FaultEffects run(long startNanos) {
      JsonArray planned = Json.array(bundle.run(), "faults");
      FaultSeconds.Before before = null;
      long calmNanos = startNanos;
      long lostFromNanos = Long.MIN_VALUE;
      for (int i = 0; i < planned.size(); i++) {
        JsonObject plan = planned.get(i).getAsJsonObject();
        FaultsFile.Fault fault = known.get(Json.text(plan, "name", ""));
        if (fault == null || !fault.injected()) {
          effects.add(notInjected(plan, fault));
          continue;
        }
        long begin = begin(fault);
        long begun = fault.firstNanos(Kind.BEGUN);
        Long next = next(planned, i);
        long until = next == null ? seconds.endNanos() : next;
        // After a fault from which the load did not recover there is nothing new to compare with.
        before = calmNanos == NEVER ? before : seconds.before(calmNanos, begin);
        calmNanos = seconds.backNanos(begun, until, before);
        spoiled.add(new GeneratorLog.Span(seconds.beginOf(begin), calmNanos));
        long lostTo = next == null ? Long.MAX_VALUE : Math.min(calmNanos, until);
        Part part = new Part(begin, begun, until, calmNanos, lostFromNanos, lostTo);
        effects.add(effect(plan, fault, part, before));
        lostFromNanos = lostTo;
      }
      return new FaultEffects(effects, spoiled);
    }

    /**
     * The part of the load that belongs to a fault.
     *
     * @param untilNanos when the next one begins, or the load ends
     * @param backNanos when rate and p99 were back, or {@link FaultSeconds#NEVER}
     * @param lostFromNanos writes that were acknowledged from then on and are lost count to it
     */
    private record Part(
        long beginNanos,
        long begunNanos,
        long untilNanos,
        long backNanos,
        long lostFromNanos,
        long lostToNanos) {
      double since(Long nanos) {
        return nanos == null ? Double.NaN : (nanos - beginNanos) / 1e9;
      }

      boolean isBack() {
        return backNanos != NEVER;
      }
    }

    private static long begin(FaultsFile.Fault fault) {
      Long called = fault.firstNanos(Kind.BEGIN);
      return called == null ? fault.firstNanos(Kind.BEGUN) : called;
    }

    /** When the next one began; null if there is none. */
    private Long next(JsonArray planned, int after) {
      for (JsonElement one : planned.asList().subList(after + 1, planned.size())) {
        FaultsFile.Fault fault = known.get(Json.text(one.getAsJsonObject(), "name", ""));
        if (fault != null && fault.injected()) {
          return begin(fault);
        }
      }
      return null;
    }

    private static FaultEffect notInjected(JsonObject plan, FaultsFile.Fault fault) {
      String why =
          fault == null
              ? "the load ended before it was due"
              : fault.failure().isEmpty()
                  ? "the load ended while it began"
                  : "its begin failed: " + fault.failure();
      return FaultEffect.notInjected(
          Json.text(plan, "name", "?"), Json.text(plan, "fault", "?"), why);
    }

    private FaultEffect effect(
        JsonObject plan, FaultsFile.Fault fault, Part part, FaultSeconds.Before before) {
      Long end = fault.lastNanos(Kind.END);
      long spoiledUntil = part.isBack() ? part.backNanos : part.untilNanos;
      return new FaultEffect(
          Json.text(plan, "name", "?"),
          Json.text(plan, "fault", "?"),
          fault.failure(),
          new FaultEffect.Course(
              part.beginNanos / 1e9, end == null ? Double.NaN : end / 1e9, part.untilNanos / 1e9),
          pause(part, before),
          new FaultEffect.Recovery(
              part.since(fault.answersNanos()),
              part.since(part.isBack() ? Math.max(part.backNanos, part.begunNanos) : null),
              part.since(seconds.drainedNanos(part.beginNanos, part.untilNanos, before)),
              before.p99Nanos()),
          seconds.errors(part.beginNanos, Math.max(spoiledUntil, end == null ? 0 : end)),
          lost(part));
    }

    private FaultEffect.Pause pause(Part part, FaultSeconds.Before before) {
      double least = before.leastSilenceSeconds();
      double longest = 0;
      double sum = 0;
      for (GeneratorLog.Span silence : silences) {
        if (silence.toNanos() > part.beginNanos && silence.fromNanos() < part.untilNanos) {
          long from = Math.max(silence.fromNanos(), part.beginNanos);
          double length = (Math.min(silence.toNanos(), part.untilNanos) - from) / 1e9;
          longest = length >= least ? Math.max(longest, length) : longest;
          sum += length >= least ? length : 0;
        }
      }
      Long first =
          bursts.stream()
              .filter(one -> one.toNanos() >= part.beginNanos)
              .map(one -> Math.max(one.fromNanos(), part.beginNanos))
              .filter(nanos -> nanos < part.untilNanos)
              .min(Long::compare)
              .orElse(null);
      return new FaultEffect.Pause(part.since(first), longest, sum, least);
    }

    /**
     * A write that was acknowledged between two faults counts to the later one, except if the load
     * had not recovered from the earlier one.
     */
    private FaultEffect.Lost lost(Part part) {
      JsonObject verified = Json.object(bundle.verification(), "lost_writes");
      if (!verified.has("at_ns")) {
        return FaultEffect.Lost.UNKNOWN;
      }
      long writes = 0;
      Long first = null;
      Long last = null;
      for (JsonElement element : Json.array(verified, "at_ns")) {
        JsonArray one = element.getAsJsonArray();
        long at = one.size() == 2 ? one.get(0).getAsLong() : Long.MIN_VALUE;
        if (one.size() == 2 && at >= part.lostFromNanos && at < part.lostToNanos) {
          writes += one.get(1).getAsLong();
          first = first == null ? at : Math.min(first, at);
          last = last == null ? at : Math.max(last, at);
        }
      }
      return new FaultEffect.Lost(writes, part.since(first), part.since(last));
    }
  }
}
