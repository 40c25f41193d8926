package io.shardload.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that a mistyped one was most likely meant to be. */
final class Nearest {
  private Nearest() {}

  /** The known name with the smallest edit distance, if it is near enough to be a typing error. */
  static Optional<String> to(String name, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt((String k) -> distance(name, k)).thenComparing(k -> k))
        .filter(k -> distance(name, k) <= Math.max(2, name.length() / 3));
  }

  /** Levenshtein distance: insertions, deletions and substitutions cost 1 each. */
  static int distance(String a, String b) {
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
