package io.shardload.workload.statements.folder;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A workload's folder, read and parsed. Immutable.
 *
 * @param path of the folder
 * @param hash SHA-256 in hexadecimal over names and contents of all its files, see {@link
 *     FolderHash}
 * @param statements variants by {@code kind/name}, then by system
 * @param schemas by system
 */
public record Folder(
    Path path,
    String hash,
    Map<String, Map<String, List<List<Statement>>>> statements,
    Map<String, List<Statement>> schemas) {
  public static final String TRANSACTIONS = "transactions";
  public static final String CHECKS = "checks";
  public static final String QUERIES = "queries";

  /** Which system's files stand in for those that another one lacks. */
  private static final Map<String, String> FALLBACKS =
      Map.of("citus", "postgresql", "ferretdb", "mongodb");

  /**
   * Reads all files of the systems; those of others have to be in their places, too.
   *
   * @param systems whose files are read, such as postgresql and citus; empty for all
   * @throws ConfigException all that is wrong, each with file and line
   */
  public static Folder read(Path path, List<String> systems) {
    if (!Files.isDirectory(path)) {
      throw new ConfigException("workload.folder", "there is no folder " + path);
    }
    try {
      FolderReader reader = new FolderReader(path, systems);
      reader.read();
      refuse(path, reader.problems());
      return new Folder(path, FolderHash.of(path), reader.statements(), reader.schemas());
    } catch (IOException | UncheckedIOException e) {
      throw new ConfigException("workload.folder", "cannot read " + path + ": " + e.getMessage());
    }
  }

  private static void refuse(Path path, List<Problem> problems) {
    if (problems.isEmpty()) {
      return;
    }
    String name = path.toAbsolutePath().normalize().getFileName().toString();
    List<ConfigException> all = new ArrayList<>();
    problems.forEach(problem -> all.add(new ConfigException("", name + "/" + problem)));
    throw ConfigException.of(all);
  }

  /** Names of the folders in {@code transactions}, {@code checks} or {@code queries}, sorted. */
  public List<String> names(String kind) {
    return statements.keySet().stream()
        .filter(key -> key.startsWith(kind + "/"))
        .map(key -> key.substring(kind.length() + 1))
        .sorted()
        .toList();
  }

  /**
   * The variants of a transaction, check or query for a system; that of its fallback if it has none
   * of its own; empty if there is neither.
   */
  public Optional<List<List<Statement>>> variants(String kind, String name, String system) {
    Map<String, List<List<Statement>>> bySystem =
        statements.getOrDefault(kind + "/" + name, Map.of());
    return Optional.ofNullable(bySystem.getOrDefault(system, bySystem.get(fallback(system))));
  }

  /** The statements of {@code schema/<system>}, likewise. */
  public Optional<List<Statement>> schema(String system) {
    return Optional.ofNullable(schemas.getOrDefault(system, schemas.get(fallback(system))));
  }

  private static String fallback(String system) {
    return FALLBACKS.getOrDefault(system, system);
  }

  /** All statements of transactions, checks and queries by system, to look at each. */
  public Map<String, List<Statement>> all() {
    Map<String, List<Statement>> all = new TreeMap<>();
    for (Map<String, List<List<Statement>>> bySystem : statements.values()) {
      bySystem.forEach(
          (system, variants) ->
              variants.forEach(
                  variant -> all.computeIfAbsent(system, s -> new ArrayList<>()).addAll(variant)));
    }
    return all;
  }
}
