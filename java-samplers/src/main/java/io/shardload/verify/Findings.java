package io.shardload.verify;

import io.shardload.verify.Finding.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** All findings counted, the first hundred of each kind kept. Not thread-safe. */
final class Findings {
  private static final int KEPT_PER_KIND = 100;

  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final List<Finding> kept = new ArrayList<>();

  Findings() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, 0L);
    }
  }

  void add(Kind kind, Long ordinal, String detail) {
    long count = counts.merge(kind, 1L, Long::sum);
    if (count <= KEPT_PER_KIND) {
      kept.add(new Finding(kind, ordinal, detail));
    }
  }

  long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  Map<Kind, Long> counts() {
    return counts;
  }

  List<Finding> kept() {
    return kept;
  }
}
