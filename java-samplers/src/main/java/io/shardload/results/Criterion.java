package io.shardload.results;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.results.measured.Limits;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A pass/fail criterion as run.json has it; the Python side has read and checked its text. It is
 * missed when its condition holds.
 *
 * @param text as the user wrote it
 * @param subject {@code p99.9}, {@code avg-rt}, {@code stdev-rt}, {@code hits}, {@code succ},
 *     {@code refused}, {@code fail}, {@code concurrency}, {@code rc<pattern of error kinds>},
 *     {@code recovery} or {@code lost}
 * @param label a transaction, of {@code recovery} the fault; empty for all of them
 * @param condition {@code > >= < <= = ==}
 * @param threshold seconds, percent of the started operations, or a number
 * @param share whether the threshold is in percent
 * @param timeframeSeconds how long the condition may not hold; 0 for one that is judged at the end
 * @param makesRunFail false if a miss does not make the run fail ("as non-failed")
 */
record Criterion(
    String text,
    String subject,
    String label,
    String condition,
    double threshold,
    boolean share,
    double timeframeSeconds,
    boolean makesRunFail) {
  private static final Pattern PERCENTILE = Pattern.compile("p\\d+(\\.\\d+)?");

  static Criterion parse(JsonObject json) {
    return new Criterion(
        Json.text(json, "text", ""),
        Json.text(json, "subject", ""),
        Json.text(json, "label", ""),
        Json.text(json, "condition", ""),
        Json.number(json, "threshold", Double.NaN),
        Json.flag(json, "is_share"),
        Json.number(json, "timeframe_seconds", 0),
        Json.flag(json, "fail"));
  }

  /** What must hold: {@code p99 of insert at most 20 ms}. */
  String words() {
    if (subject.equals("recovery") && Double.isNaN(threshold)) {
      return text;
    }
    String whose = label.isEmpty() ? "" : " of " + label;
    String when = live() ? ", judged live over " + Limits.time(timeframeSeconds) : "";
    return what() + whose + " " + bound() + " " + limit() + when;
  }

  private String what() {
    return switch (subject) {
      case "avg-rt" -> "mean response time";
      case "stdev-rt" -> "standard deviation of the response time";
      case "hits" -> "calls";
      case "succ" -> "calls done or missing";
      case "refused" -> "refused calls";
      case "fail" -> "errors";
      case "concurrency" -> "workers";
      case "recovery" -> "recovery";
      case "lost" -> "lost, stale and resurrected documents";
      default -> isPercentile() ? subject : "errors of kind " + subject.substring(2);
    };
  }

  /** The opposite of the condition: a criterion is missed when its condition holds. */
  private String bound() {
    return switch (condition) {
      case ">" -> "at most";
      case ">=" -> "under";
      case "<" -> "at least";
      case "<=" -> "over";
      default -> "not";
    };
  }

  String limit() {
    return switch (unit()) {
      case "s" -> Limits.time(threshold);
      case "percent" -> Limits.trim(threshold) + " %";
      default -> String.format(Locale.ROOT, "%,.0f", threshold);
    };
  }

  /** Whether it has a time frame: Taurus judged it during the run. */
  boolean live() {
    return timeframeSeconds > 0;
  }

  /** The unit of limit and measured value: {@code s}, {@code percent} or {@code count}. */
  String unit() {
    if (share) {
      return "percent";
    }
    boolean time = isPercentile() || subject.endsWith("-rt") || subject.equals("recovery");
    return time ? "s" : "count";
  }

  boolean isPercentile() {
    return PERCENTILE.matcher(subject).matches();
  }

  /** The percentile of the criterion, 0 to 100. */
  double level() {
    return Double.parseDouble(subject.substring(1));
  }

  /** Whether the condition holds for a value, which means that the criterion is missed. */
  boolean holds(double value) {
    return switch (condition) {
      case ">" -> value > threshold;
      case ">=" -> value >= threshold;
      case "<" -> value < threshold;
      case "<=" -> value <= threshold;
      case "=", "==" -> value == threshold;
      default -> throw new IllegalArgumentException("unknown condition " + condition);
    };
  }

  /**
   * Whether a subject {@code rc<pattern>} is about an error kind; * and ? stand for any letters.
   */
  boolean isAbout(String errorKind) {
    StringBuilder pattern = new StringBuilder();
    for (char c : subject.substring(2).toCharArray()) {
      pattern.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
    }
    return errorKind.matches(pattern.toString());
  }
}
