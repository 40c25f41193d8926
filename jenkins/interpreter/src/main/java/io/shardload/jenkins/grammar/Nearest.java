package io.shardload.jenkins.grammar;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Finds the valid name that a mistyped one most probably means. */
public final class Nearest {
  private Nearest() {}

  /** {@code ; nearest: "name"}, or nothing where no valid name is near. */
  public static String hint(String word, Collection<String> valid) {
    return valid.stream()
        .min(Comparator.comparingInt((String name) -> distance(word, name)).thenComparing(n -> n))
        .filter(name -> distance(word, name) <= Math.max(1, word.length() / 3))
        .map(name -> "; nearest: \"" + name + "\"")
        .orElse("");
  }

  private static int distance(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
