package io.shardload.workload.statements.folder;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The systems that files are named after. */
final class Systems {
  static final String SQL = ".sql";
  static final String JSON = ".json";

  private static final Map<String, String> EXTENSIONS =
      Map.of("postgresql", SQL, "citus", SQL, "mongodb", JSON, "ferretdb", JSON);
  private static final Map<String, String> FALLBACKS =
      Map.of("citus", "postgresql", "ferretdb", "mongodb");

  private Systems() {}

  /** All possible file names, sorted. */
  static List<String> files() {
    return EXTENSIONS.entrySet().stream().map(e -> e.getKey() + e.getValue()).sorted().toList();
  }

  /** The system of a file; empty if it is none of {@link #files}. */
  static Optional<String> of(String file) {
    return EXTENSIONS.keySet().stream().filter(name -> file.equals(file(name))).findFirst();
  }

  private static String file(String system) {
    return system + EXTENSIONS.get(system);
  }

  /** The system whose files are used if this system has none. */
  static Optional<String> fallback(String system) {
    return Optional.ofNullable(FALLBACKS.get(system));
  }
}
