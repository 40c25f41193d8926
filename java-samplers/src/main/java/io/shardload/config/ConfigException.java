package io.shardload.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Wrong use or configuration, found before anything has started: one clear line and exit code 1.
 *
 * <p>The key is the dotted path in the merged configuration, so that the command line can name the
 * file that set it.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final String nearest;
  private final transient List<Advice> advice = new ArrayList<>();
  private final transient List<ConfigException> all = new ArrayList<>();

  public ConfigException(String key, String message) {
    this(key, message, "");
  }

  private ConfigException(String key, String message, String nearest) {
    super(message);
    this.key = key;
    this.nearest = nearest;
  }

  /** A name that is not among the known ones; the message offers the nearest known one, or all. */
  public static ConfigException unknown(
      String key, String what, String name, Collection<String> known) {
    String nearest = nearestOf(name, known).orElse("");
    String hint =
        nearest.isEmpty()
            ? known.isEmpty() ? "none is known" : "known are " + String.join(", ", known)
            : "did you mean \"" + nearest + "\"?";
    return new ConfigException(key, "unknown %s \"%s\"; %s".formatted(what, name, hint), nearest);
  }

  /**
   * Several problems as one, with the key and message of the first.
   *
   * @param problems at least one
   */
  public static ConfigException of(List<ConfigException> problems) {
    ConfigException first = problems.get(0);
    if (problems.size() == 1) {
      return first;
    }
    ConfigException joined = new ConfigException(first.key, first.getMessage(), first.nearest);
    joined.advice.addAll(first.advice);
    joined.all.addAll(problems);
    return joined;
  }

  /**
   * Runs all checks, whatever the first of them find.
   *
   * @throws ConfigException what all of them found
   */
  public static void all(Runnable... checks) {
    List<ConfigException> problems = new ArrayList<>();
    for (Runnable check : checks) {
      try {
        check.run();
      } catch (ConfigException e) {
        problems.addAll(e.problems());
      }
    }
    if (!problems.isEmpty()) {
      throw of(problems);
    }
  }

  /** Each of the problems; one at least. */
  public List<ConfigException> problems() {
    return all.isEmpty() ? List.of(this) : List.copyOf(all);
  }

  /** Adds a command that may help; the one to try first comes first. */
  public ConfigException advise(Advice command) {
    advice.add(command);
    return this;
  }

  /** The commands that may help. */
  public List<Advice> advice() {
    return List.copyOf(advice);
  }

  /** Dotted path of the key in the merged configuration; empty when no key is to blame. */
  public String key() {
    return key;
  }

  /** The known name most like the wrong one. */
  public Optional<String> nearest() {
    return nearest.isEmpty() ? Optional.empty() : Optional.of(nearest);
  }

  /** The known name with the smallest edit distance, if it is near enough to be a typing error. */
  private static Optional<String> nearestOf(String name, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt((String k) -> distance(name, k)).thenComparing(k -> k))
        .filter(k -> distance(name, k) <= Math.max(2, name.length() / 3));
  }

  /** Levenshtein distance: insertions, deletions and substitutions cost 1 each. */
  private static int distance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(substitution, Math.min(previous[j], row[j - 1]) + 1);
      }
      previous = row;
    }
    return previous[b.length()];
  }
}
