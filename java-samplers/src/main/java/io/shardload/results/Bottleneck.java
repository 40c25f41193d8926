package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What bounds the load in a segment: the resource that is exhausted first.
 *
 * @param segment its name
 * @param resource null if it is not known
 * @param why the figure that shows it, or why it is not known, in words
 * @param unless the figure that would have refuted it, in words; empty if it is not known
 * @param time where the time of a mean call goes; null if no call ended
 * @param unknown what was not measured, one clause each
 */
public record Bottleneck(
    String segment,
    Resource resource,
    String why,
    String unless,
    TimeShares time,
    List<String> unknown) {

  /** What can be exhausted, with its code in metrics, which the dashboards know. */
  public enum Resource {
    GENERATOR(0, "the generator"),
    WORKERS(1, "the number of workers"),
    NETWORK(2, "the network"),
    POOL(3, "the connection pool"),
    PROCESSOR(4, "the servers' processors"),
    DISK(5, "the servers' disks"),
    LOCKS(6, "locks on data"),
    SERVER(7, "waits inside the server"),
    SHARD(8, "one shard"),
    PLAN(9, "a plan that reads too much"),
    NOTHING(10, "nothing");

    private final int code;
    private final String words;

    Resource(int code, String words) {
      this.code = code;
      this.words = words;
    }

    /** As in metrics. */
    public int code() {
      return code;
    }

    /** As in summary.json. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Of the whole run: what ended the capacity, so of the lowest failed step above it; where none
   * failed, of the step of the capacity; in a run without steps of the segment that is furthest
   * from its rate.
   *
   * @return null for a run without a database or without a result
   */
  public static Bottleneck of(Evaluation run) {
    Step step = step(run);
    return step == null || !run.bundle().keepsData() ? null : of(run, step);
  }

  /** Of one segment. */
  static Bottleneck of(Evaluation run, Step step) {
    return new Attribution(run, step).decide();
  }

  private static Step step(Evaluation run) {
    Capacity capacity = Capacity.of(run);
    if (capacity == null) {
      var results = run.segments().results();
      return run.steps().stream()
          .filter(step -> results.contains(step.segment()))
          .min(Comparator.comparingDouble(Bottleneck::reachedShare))
          .orElse(null);
    }
    double kept = capacity.step() == null ? 0 : load(capacity.step());
    return capacity.completed().stream()
        .filter(step -> !step.passed() && load(step) > kept)
        .min(Comparator.comparingDouble(Bottleneck::load))
        .orElse(capacity.step());
  }

  private static double reachedShare(Step step) {
    return step.open() ? step.achievedPerSecond() / step.offeredPerSecond() : 1;
  }

  private static double load(Step step) {
    return step.open() ? step.offeredPerSecond() : step.achievedPerSecond();
  }

  /** One sentence for people. */
  public String sentence() {
    if (resource == Resource.NOTHING) {
      return "nothing was exhausted in %s: %s".formatted(segment, why);
    }
    return (resource == null ? "what bounds it is " : "bound by ") + words();
  }

  /** What follows "bound by". */
  public String words() {
    return resource == null
        ? "not known: " + why
        : "%s in %s: %s".formatted(resource.words, segment, why);
  }

  /** As in summary.json. */
  static JsonElement toJson(Bottleneck bottleneck) {
    if (bottleneck == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    Resource resource = bottleneck.resource;
    json.addProperty("segment", bottleneck.segment);
    json.addProperty("resource", resource == null ? "unknown" : resource.label());
    json.addProperty("sentence", bottleneck.sentence());
    json.addProperty("unless", bottleneck.unless.isEmpty() ? null : bottleneck.unless);
    json.add("time", bottleneck.time == null ? JsonNull.INSTANCE : bottleneck.time.toJson());
    json.add("unknown", Json.strings(bottleneck.unknown));
    return json;
  }
}
