package io.shardload.workload.statements.folder;

import io.shardload.workload.statements.port.Statement;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A workload's folder, read and parsed. Immutable.
 *
 * @param path of the folder
 * @param hash SHA-256 in hexadecimal over names and contents of all its files
 */
public record Folder(Path path, String hash) {
  /**
   * Reads all files of the systems.
   *
   * @param systems whose files are read, such as postgresql and citus
   * @throws io.shardload.config.ConfigException all that is wrong, each with file and line
   */
  public static Folder read(Path path, List<String> systems) {
    throw new UnsupportedOperationException();
  }

  /** Names of the folders in {@code transactions}, {@code checks} or {@code queries}. */
  public List<String> names(String kind) {
    throw new UnsupportedOperationException();
  }

  /**
   * The variants of a transaction, check or query for a system; that of its fallback if it has none
   * of its own; empty if there is neither.
   */
  public Optional<List<List<Statement>>> variants(String kind, String name, String system) {
    throw new UnsupportedOperationException();
  }

  /** The statements of {@code schema/<system>}, likewise. */
  public Optional<List<Statement>> schema(String system) {
    throw new UnsupportedOperationException();
  }

  /** All statements by system, to look at each. */
  public Map<String, List<Statement>> all() {
    throw new UnsupportedOperationException();
  }
}
