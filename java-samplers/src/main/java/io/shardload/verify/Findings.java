package io.shardload.verify;

import io.shardload.verify.Finding.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts all findings and keeps a hundred of each kind. Thread-safe. */
final class Findings {
  private static final int KEPT_PER_KIND = 100;
  private static final Comparator<Finding> ORDER =
      Comparator.comparing(Finding::kind)
          .thenComparing(Finding::ordinal, Comparator.nullsFirst(Comparator.naturalOrder()))
          .thenComparing(Finding::detail);

  private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
  private final List<Finding> kept = new ArrayList<>();

  Findings() {
    for (Kind kind : Kind.values()) {
      counts.put(kind, 0L);
    }
  }

  synchronized void add(Kind kind, Long ordinal, String detail) {
    long count = counts.merge(kind, 1L, Long::sum);
    if (count <= KEPT_PER_KIND) {
      kept.add(new Finding(kind, ordinal, detail));
    }
  }

  synchronized long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  synchronized Map<Kind, Long> counts() {
    return new EnumMap<>(counts);
  }

  /** By kind and ordinal, because the order of the rows differs between walks. */
  synchronized List<Finding> kept() {
    return kept.stream().sorted(ORDER).toList();
  }
}
