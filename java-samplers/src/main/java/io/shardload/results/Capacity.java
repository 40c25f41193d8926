package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The result of a run with steps: the highest completed step that kept up within the limits.
 *
 * <p>A step that was cut short counts neither as passed nor as failed. A rate at which any segment
 * failed (the last step's rate is held again afterwards) does not count as capacity, nor does a
 * step above the failures that ended the run: it completed only because the controller judges a
 * step some seconds after its end. A closed model has no offered rate and no capacity: there {@code
 * step} is the fastest step that passed.
 *
 * @param completed steps and hold that ran to their planned end, in order of time
 * @param step the step that provides the run's figures; null if no step kept up
 * @param atLeast no completed step failed: the target may sustain more than was offered
 */
public record Capacity(List<Step> completed, Step step, boolean atLeast) {

  /** The capacity, or null if the run has no steps. */
  public static Capacity of(Evaluation run) {
    if (!run.segments().hasSteps()) {
      return null;
    }
    List<Step> completed =
        run.steps().stream()
            .filter(step -> !step.segment().kind().equals("ramp") && !step.segment().cut())
            .collect(Collectors.toList());
    List<Step> failed = completed.stream().filter(s -> !s.passed()).collect(Collectors.toList());
    Step best = null;
    for (Step step : completed.subList(0, firstOfTheLastFailures(run.bundle(), completed))) {
      boolean kept = step.passed() && failed.stream().noneMatch(step::sameRate);
      if (kept && (best == null || rate(step) >= rate(best))) {
        best = step;
      }
    }
    return new Capacity(completed, best, best != null && failed.isEmpty());
  }

  /**
   * The index of the first of the failures that ended the run, or the number of steps if none did.
   * The controller judged the steps while they ran. Where the final figures show fewer failures in
   * a row than it counted, the last failed step is used.
   */
  private static int firstOfTheLastFailures(Bundle bundle, List<Step> completed) {
    if (!Json.text(bundle.outcome(), "stopped_by", "").equals("failed-steps")) {
      return completed.size();
    }
    JsonObject load = Json.object(bundle.run(), "load");
    long allowed = Json.integer(load, "stop_after_failed_steps", 1);
    int lastFailed = completed.size();
    int inARow = 0;
    for (int i = 0; i < completed.size(); i++) {
      inARow = completed.get(i).passed() ? 0 : inARow + 1;
      lastFailed = inARow > 0 ? i : lastFailed;
      if (inARow == allowed) {
        return i - inARow + 1;
      }
    }
    return lastFailed;
  }

  private static double rate(Step step) {
    return step.open() ? step.offeredPerSecond() : step.achievedPerSecond();
  }

  /** Why no step kept up; only where {@code step} is null. */
  String reason() {
    return completed.stream()
        .filter(one -> !one.passed())
        .findFirst()
        .map(one -> "no step kept up: " + one.segment().name() + ": " + one.why())
        .orElse("no step was completed");
  }

  /** For the console, in an open model. */
  public String text() {
    if (step == null) {
      return completed.isEmpty() ? "no step was completed" : "no step kept up";
    }
    String text = perSecond() + " (" + step.segment().name() + ")";
    if (atLeast) {
      return "at least " + text + ": no step failed";
    }
    List<String> below = new ArrayList<>();
    for (Step one : completed.subList(0, completed.indexOf(step))) {
      if (!one.passed()) {
        below.add(one.segment().name());
      }
    }
    return below.isEmpty()
        ? text
        : text + ", although lower steps failed: " + String.join(", ", below);
  }

  /** The step that provides the run's figures, in words; only where {@code step} is not null. */
  public String place() {
    String name = step.segment().name();
    return step.open() ? "at " + perSecond() + " (" + name + ")" : "in " + name + ", the fastest";
  }

  private String perSecond() {
    return Answer.rate(step.offeredPerSecond());
  }

  /** How many steps passed and failed, and which one was cut short. */
  public static String count(Evaluation run) {
    int passed = 0;
    int failed = 0;
    StringBuilder cut = new StringBuilder();
    for (Step step : run.steps()) {
      if (step.segment().cut()) {
        cut.append(", ").append(step.segment().name()).append(' ').append(step.segment().cutText());
      } else if (step.passed()) {
        passed++;
      } else {
        failed++;
      }
    }
    return String.format(Locale.ROOT, "%d passed, %d failed%s", passed, failed, cut);
  }

  /** As in summary.json: null if no step kept up, or in a closed model. */
  static JsonElement toJson(Capacity capacity) {
    if (capacity == null || capacity.step == null || !capacity.step.open()) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.add("offered_per_second", Json.rounded(capacity.step.offeredPerSecond()));
    json.add("achieved_per_second", Json.rounded(capacity.step.achievedPerSecond()));
    json.addProperty("step", capacity.step.segment().name());
    json.addProperty("at_least", capacity.atLeast);
    return json;
  }
}
