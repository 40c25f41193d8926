package io.shardload.workload.statements.folder;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.Statement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A workload's folder, read and parsed. Immutable.
 *
 * <p>The hash can be computed elsewhere: it is the hash of the lines that {@code sha256sum} prints
 * for all files, sorted by the bytes of their names, which are relative to the folder. Files and
 * folders whose names begin with a dot, files whose names end in {@code ~}, and {@code README.md}
 * are ignored. In the folder:
 *
 * <pre>
 * find -L . -type f ! -path '*&#47;.*' ! -name '*~' ! -name README.md -printf '%P\0' |
 *   LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
 * </pre>
 */
public final class Folder {
  static final String SCHEMA = "schema";

  private final Path path;
  private final String hash;
  private final SortedMap<String, SortedSet<String>> names;

  /** By the file's name without its extension, relative to the folder. */
  private final Map<String, List<List<Statement>>> files;

  private Folder(
      Path path,
      String hash,
      SortedMap<String, SortedSet<String>> names,
      Map<String, List<List<Statement>>> files) {
    this.path = path;
    this.hash = hash;
    this.names = names;
    this.files = files;
  }

  /**
   * Reads all files of the systems and of those that they fall back to. The names of all other
   * files are checked, too, but not their content.
   *
   * @param systems whose files are read, such as postgresql and citus; all if empty
   * @throws ConfigException all problems, each with file and line
   */
  public static Folder read(Path path, List<String> systems) {
    Path whole = path.toAbsolutePath().normalize();
    Problems problems = new Problems(String.valueOf(whole.getFileName()));
    FolderFiles found = FolderFiles.list(whole, problems);
    Map<String, List<List<Statement>>> files = new LinkedHashMap<>();
    found
        .statements()
        .forEach(
            (name, bytes) -> {
              String file = name.substring(name.lastIndexOf('/') + 1);
              String system = Systems.of(file).orElseThrow();
              if (wanted(system, systems)) {
                files.put(
                    name.substring(0, name.lastIndexOf('.')),
                    StatementFile.parse(name, bytes, problems));
              }
            });
    problems.raise();
    return new Folder(whole, found.hash(), found.names(), files);
  }

  private static boolean wanted(String system, List<String> systems) {
    return systems.isEmpty()
        || systems.contains(system)
        || systems.stream().anyMatch(one -> Systems.fallback(one).equals(Optional.of(system)));
  }

  /** The folder, absolute. */
  public Path path() {
    return path;
  }

  /** SHA-256 in hexadecimal over names and contents of its files. */
  public String hash() {
    return hash;
  }

  /** Names of the folders in {@code transactions}, {@code checks} or {@code queries}, sorted. */
  public List<String> names(String kind) {
    return List.copyOf(names.getOrDefault(kind, new TreeSet<>()));
  }

  /**
   * The variants of a transaction, check or query for a system, or of its fallback system; empty if
   * there is neither.
   */
  public Optional<List<List<Statement>>> variants(String kind, String name, String system) {
    return file(kind + "/" + name, system);
  }

  /** The statements of {@code schema/<system>}, likewise. */
  public Optional<List<Statement>> schema(String system) {
    return file(SCHEMA, system).map(variants -> variants.get(0));
  }

  private Optional<List<List<Statement>>> file(String folder, String system) {
    Optional<List<List<Statement>>> own = Optional.ofNullable(files.get(folder + "/" + system));
    return own.or(() -> Systems.fallback(system).map(other -> files.get(folder + "/" + other)));
  }

  /** The parameters of all variants of a transaction, check or query for a system. */
  public SortedSet<String> used(String kind, String name, String system) {
    SortedSet<String> used = new TreeSet<>();
    variants(kind, name, system).stream()
        .flatMap(List::stream)
        .flatMap(List::stream)
        .forEach(statement -> used.addAll(statement.names()));
    return used;
  }

  /** All statements, including the schema, by the system of their file. */
  public Map<String, List<Statement>> all() {
    Map<String, List<Statement>> all = new TreeMap<>();
    files.forEach(
        (name, variants) ->
            variants.forEach(
                all.computeIfAbsent(
                        name.substring(name.lastIndexOf('/') + 1), key -> new ArrayList<>())
                    ::addAll));
    return all;
  }
}
