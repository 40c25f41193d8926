package io.shardload.metrics;

import com.google.gson.JsonObject;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The first message of each kind of error, in one line. A call that succeeds costs nothing here. An
 * error of a known kind costs a look-up. Thread-safe.
 */
public final class ErrorSamples {
  private static final int MOST_KINDS = 50;
  private static final int LONGEST = 300;
  private static final Pattern PASSWORD_IN_URL = Pattern.compile("(://[^:/@\\s]*):[^@\\s]*@");
  private static final Pattern PASSWORD =
      Pattern.compile("(?i)\\b((?:password|passwd|pwd)\\s*[=:]\\s*)[^\\s,;&]+");

  private final Map<String, String> first = new ConcurrentHashMap<>();

  /**
   * Keeps the message if the outcome is an error and the first of its kind.
   *
   * @param failure that led to it; may be null
   */
  public void add(Outcome outcome, CallFailure failure) {
    if (failure == null || outcome.answered()) {
      return;
    }
    String kind =
        outcome instanceof Outcome.Failed failed
            ? failed.kind()
            : ((Outcome.Unknown) outcome).kind();
    if (!first.containsKey(kind) && first.size() < MOST_KINDS) {
      first.putIfAbsent(kind, line(failure.getMessage()));
    }
  }

  private static String line(String message) {
    String text = String.valueOf(message).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    text = PASSWORD_IN_URL.matcher(text).replaceAll("$1:***@");
    text = PASSWORD.matcher(text).replaceAll("$1***");
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 3) + "...";
  }

  /** Kind to message. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    new TreeMap<>(first).forEach(json::addProperty);
    return json;
  }
}
