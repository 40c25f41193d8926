package io.shardload.workload.statements.folder;

import io.shardload.workload.statements.port.StatementSystem;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

/** All systems that a folder may have files for: those of all drivers. */
public final class Systems {
  private static final SortedMap<String, StatementSystem> ALL = all();

  private Systems() {}

  private static SortedMap<String, StatementSystem> all() {
    SortedMap<String, StatementSystem> all = new TreeMap<>();
    ServiceLoader.load(StatementSystem.Provider.class, Systems.class.getClassLoader())
        .forEach(provider -> provider.systems().forEach(system -> all.put(system.name(), system)));
    return all;
  }

  /** Their names, sorted. */
  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /** Those that fall back to no other, SQL first. */
  static List<StatementSystem> alone() {
    return ALL.values().stream()
        .filter(system -> system.fallback().isEmpty())
        .sorted(Comparator.comparing(system -> system.rules().isEmpty()))
        .toList();
  }

  /** All possible file names, sorted. */
  static List<String> files() {
    return ALL.values().stream().map(StatementSystem::file).sorted().toList();
  }

  /** The system of a file; empty if it is none of {@link #files}. */
  static Optional<StatementSystem> ofFile(String file) {
    return ALL.values().stream().filter(system -> file.equals(system.file())).findFirst();
  }

  /** The system whose files are used if this system has none. */
  public static Optional<String> fallbackOf(String system) {
    return Optional.ofNullable(ALL.get(system)).flatMap(StatementSystem::fallback);
  }

  /** What is given for a system, or for the one that it falls back to. */
  public static <T> Optional<T> of(Map<String, T> bySystem, String system) {
    return Optional.ofNullable(bySystem.get(system))
        .or(() -> fallbackOf(system).map(bySystem::get));
  }
}
