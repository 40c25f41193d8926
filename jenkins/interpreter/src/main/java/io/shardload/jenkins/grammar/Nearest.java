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

  /** The number of letters to add, leave out, replace or swap with the next one. */
  private static int distance(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          edits[i][j] = i + j;
          continue;
        }
        int replaced = edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        edits[i][j] = Math.min(replaced, Math.min(edits[i - 1][j], edits[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
        }
      }
    }
    return edits[a.length()][b.length()];
  }
}
