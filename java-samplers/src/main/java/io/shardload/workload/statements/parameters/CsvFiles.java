package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The CSV files of a folder, each read once. Not thread-safe. */
public final class CsvFiles {
  private static final String ENDING = ".csv";

  private final Path folder;
  private final Map<String, Optional<Csv>> read = new HashMap<>();

  public CsvFiles(Path folder) {
    this.folder = folder;
  }

  /**
   * A file by its name.
   *
   * @param key that names the file, for messages
   * @return empty if the file is already known to have a problem
   * @throws ConfigException there is no such file, or the file has a problem
   */
  public Optional<Csv> find(String key, String name) {
    Optional<Csv> known = read.get(name);
    if (known != null) {
      return known;
    }
    List<String> names = names();
    if (!names.contains(name)) {
      throw ConfigException.unknown(key, "CSV file", name, names);
    }
    read.put(name, Optional.empty());
    Csv csv = Csv.read(folder.resolve(name), folder.getFileName() + "/" + name);
    read.put(name, Optional.of(csv));
    return Optional.of(csv);
  }

  /** How many lines of values a file has; empty if it cannot be read. */
  public Optional<Long> size(String name) {
    try {
      return names().contains(name)
          ? Optional.of((long) Csv.read(folder.resolve(name), name).size())
          : Optional.empty();
    } catch (ConfigException e) {
      return Optional.empty();
    }
  }

  /** Only files in the folder itself: all others are not part of its hash. */
  private List<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(ENDING))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
