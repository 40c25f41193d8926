package io.shardload.results.measured;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One fault and what it cost. Times are in seconds since its begin; NaN is not known, or never.
 *
 * @param name {@code kill-1}
 * @param fault what was done, {@code kill}
 * @param failure why it was never injected, or why its end failed; empty otherwise
 * @param course null if it was never injected
 */
public record FaultEffect(
    String name,
    String fault,
    String failure,
    Course course,
    Pause pause,
    Recovery recovery,
    Errors errors,
    Lost lost) {

  /**
   * When it was in effect, in seconds since the start of the load.
   *
   * @param endSeconds when its end was called
   * @param untilSeconds when the next fault began, or the load ended
   */
  record Course(double beginSeconds, double endSeconds, double untilSeconds) {
    static final Course NONE = new Course(Double.NaN, Double.NaN, Double.NaN);
  }

  /**
   * The times without success.
   *
   * @param firstErrorSeconds the first call that failed, or whose outcome is unknown
   * @param longestSeconds the longest time in which no call was answered; 0 if none counts
   * @param sumSeconds of all times that count
   * @param leastSeconds from this length on a time counts
   */
  record Pause(
      double firstErrorSeconds, double longestSeconds, double sumSeconds, double leastSeconds) {
    static final Pause NONE = new Pause(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }

  /**
   * How the load came back.
   *
   * @param answersSeconds when the server answered checks again
   * @param backSeconds when rate and p99 were back
   * @param drainedSeconds when as few arrivals waited as before
   * @param p99BeforeNanos with which the p99 is compared; null with too few calls before the fault
   */
  record Recovery(
      double answersSeconds, double backSeconds, double drainedSeconds, Long p99BeforeNanos) {
    static final Recovery NONE = new Recovery(Double.NaN, Double.NaN, Double.NaN, null);
  }

  /** Calls that failed and calls of unknown outcome; both together by kind of error. */
  record Errors(long failed, long unknown, Map<String, Long> kinds) {
    static final Errors NONE = new Errors(0, 0, Map.of());
  }

  /**
   * Acknowledged writes that are not there.
   *
   * @param writes null if they were not verified
   * @param fromSeconds when the first of them was acknowledged; negative is before the fault
   */
  record Lost(Long writes, double fromSeconds, double toSeconds) {
    static final Lost UNKNOWN = new Lost(null, Double.NaN, Double.NaN);
  }

  /** A fault of the configuration that was never in effect. */
  static FaultEffect notInjected(String name, String fault, String why) {
    return new FaultEffect(
        name, fault, why, null, Pause.NONE, Recovery.NONE, Errors.NONE, Lost.UNKNOWN);
  }

  public boolean injected() {
    return course != null;
  }

  public boolean recovered() {
    return !Double.isNaN(recovery.backSeconds);
  }

  public double recoveredAfterSeconds() {
    return recovery.backSeconds;
  }

  public double withoutSuccessSeconds() {
    return pause.longestSeconds;
  }

  /** From when on a time without success counts. */
  public double leastSilenceSeconds() {
    return pause.leastSeconds;
  }

  /** 0 if they were not verified. */
  public long lostWrites() {
    return lost.writes == null ? 0 : lost.writes;
  }

  /** When rate and p99 were back, or how long they were not. */
  public String back() {
    String what = recovery.p99BeforeNanos == null ? "rate" : "rate and p99";
    return recovered()
        ? what + " back after " + seconds(recovery.backSeconds)
        : what + " not back within " + seconds(course.untilSeconds - course.beginSeconds);
  }

  /** All of it in one sentence, without its name. */
  public String words() {
    if (!injected()) {
      return "never injected: " + failure;
    }
    List<String> parts = new ArrayList<>();
    parts.add(
        pause.longestSeconds > 0
            ? "no success for " + seconds(pause.longestSeconds)
            : "never " + seconds(pause.leastSeconds) + " without success");
    if (!Double.isNaN(recovery.answersSeconds)) {
      parts.add("server answered after " + seconds(recovery.answersSeconds));
    }
    parts.add(back());
    if (recovery.p99BeforeNanos == null) {
      parts.add("p99 not compared (too few calls before it)");
    }
    parts.add(String.format(Locale.ROOT, "%,d failed", errors.failed));
    parts.add(String.format(Locale.ROOT, "%,d unknown", errors.unknown));
    parts.add(
        lost.writes == null
            ? "lost writes not known"
            : String.format(Locale.ROOT, "%,d acknowledged writes lost", lost.writes));
    if (!failure.isEmpty()) {
      parts.add("its end failed: " + failure);
    }
    return when() + ": " + String.join(", ", parts);
  }

  private String when() {
    String at = String.format(Locale.ROOT, "at %.1f s", course.beginSeconds);
    return Double.isNaN(course.endSeconds)
        ? at
        : at + String.format(Locale.ROOT, " for %.1f s", course.endSeconds - course.beginSeconds);
  }

  /** As 5.31 s, 7 s. */
  public static String seconds(double seconds) {
    return Limits.trim(Math.round(seconds * 100) / 100.0) + " s";
  }

  /** As in summary.json. */
  public JsonObject toJson() {
    Course when = injected() ? course : Course.NONE;
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    json.addProperty("fault", fault);
    json.addProperty("injected", injected());
    json.add("begin_seconds", Json.rounded(when.beginSeconds));
    json.add("end_seconds", Json.rounded(when.endSeconds));
    json.add("first_error_seconds", Json.rounded(pause.firstErrorSeconds));
    json.add("without_success_seconds", Json.rounded(pause.longestSeconds));
    json.add("silent_seconds", Json.rounded(pause.sumSeconds));
    json.add("answers_after_seconds", Json.rounded(recovery.answersSeconds));
    json.add("recovered_after_seconds", Json.rounded(recovery.backSeconds));
    json.add("backlog_drained_after_seconds", Json.rounded(recovery.drainedSeconds));
    json.addProperty("p99_before_ns", recovery.p99BeforeNanos);
    json.addProperty("failed", errors.failed);
    json.addProperty("unknown", errors.unknown);
    JsonObject kinds = new JsonObject();
    errors.kinds.forEach(kinds::addProperty);
    json.add("outcomes", kinds);
    json.addProperty("lost_writes", lost.writes);
    json.add("lost_from_seconds", Json.rounded(lost.fromSeconds));
    json.add("lost_to_seconds", Json.rounded(lost.toSeconds));
    json.addProperty("words", words());
    return json;
  }
}
