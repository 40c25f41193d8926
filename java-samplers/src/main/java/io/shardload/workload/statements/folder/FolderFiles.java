package io.shardload.workload.statements.folder;

import io.shardload.Sha256;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the files of a folder, refuses files that would never be read, and hashes the others. */
final class FolderFiles {
  private static final String WORKLOAD = "workload.yml";
  private static final String README = "README.md";
  private static final String CSV = ".csv";
  private static final String QUERIES = "queries";
  private static final List<String> KINDS = List.of("transactions", "checks", QUERIES);
  private static final List<String> FOLDERS =
      List.of("checks", QUERIES, Folder.SCHEMA, "transactions");
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
  private static final Pattern PARAMETER = Pattern.compile("[a-z][a-z0-9_]*");

  private final Path root;
  private final Switches switches;
  private final Folder.Problems problems;

  /** By their bytes, as {@code LC_ALL=C sort} does. */
  private final SortedMap<String, String> hashes =
      new TreeMap<>((a, b) -> Arrays.compareUnsigned(utf8(a), utf8(b)));

  private final SortedMap<String, byte[]> statements = new TreeMap<>();
  private final SortedMap<String, SortedSet<String>> names = new TreeMap<>();

  private FolderFiles(Path root, Switches switches, Folder.Problems problems) {
    this.root = root;
    this.switches = switches;
    this.problems = problems;
  }

  /**
   * Reads a folder.
   *
   * @throws ConfigException it does not exist, or cannot be read
   */
  static FolderFiles list(Path root, Switches switches, Folder.Problems problems) {
    if (!Files.isDirectory(root)) {
      throw new ConfigException("workload.folder", "there is no such folder: " + root);
    }
    FolderFiles files = new FolderFiles(root, switches, problems);
    try {
      files.top();
    } catch (IOException | UncheckedIOException e) {
      throw new ConfigException("workload.folder", "cannot be read: " + e);
    }
    return files;
  }

  /** The content of statement files by their names, relative to the folder. */
  Map<String, byte[]> statements() {
    return statements;
  }

  /** The names of transactions, checks and queries by kind. */
  SortedMap<String, SortedSet<String>> names() {
    return names;
  }

  String hash() {
    StringBuilder lines = new StringBuilder();
    hashes.forEach((name, hash) -> lines.append(hash).append("  ").append(name).append('\n'));
    return Sha256.of(lines.toString());
  }

  private void top() throws IOException {
    for (Path entry : entries(root)) {
      String name = name(entry);
      if (!Files.isDirectory(entry)) {
        if (name.equals(WORKLOAD) || name.endsWith(CSV)) {
          hash(entry);
        } else if (!name.equals(README)) {
          problems.of(
              name,
              ConfigException.unknown("", "file", name, List.of(WORKLOAD, README, "*.csv"))
                  .getMessage());
        }
      } else if (name.equals(Folder.SCHEMA)) {
        files(entry);
      } else if (KINDS.contains(name)) {
        kind(name, entry);
      } else {
        problems.of(name + "/", ConfigException.unknown("", "folder", name, FOLDERS).getMessage());
      }
    }
  }

  private void kind(String kind, Path folder) throws IOException {
    Pattern allowed = kind.equals(QUERIES) ? PARAMETER : NAME;
    for (Path entry : entries(folder)) {
      String name = name(entry);
      if (!Files.isDirectory(entry)) {
        if (!name.equals(README)) {
          problems.of(
              kind + "/" + name,
              "the file must be in a folder, such as %s/%s/%s"
                  .formatted(
                      kind,
                      kind.equals(QUERIES) ? "parameter" : "name",
                      Systems.files().get(Systems.files().size() - 1)));
        }
      } else if (!allowed.matcher(name).matches()) {
        problems.of(
            kind + "/" + name + "/",
            "a name must consist of a-z, 0-9 and %s, and must begin with a letter"
                .formatted(allowed == NAME ? "-" : "_"));
      } else {
        names.computeIfAbsent(kind, key -> new TreeSet<>()).add(name);
        if (files(entry) == 0) {
          problems.of(
              kind + "/" + name + "/",
              "the folder has no statement file; known are " + String.join(", ", Systems.files()));
        }
      }
    }
  }

  /**
   * Reads the statement files of a folder, and of the folders {@code NAME=VALUE} in it; returns
   * their number, including refused files.
   */
  private int files(Path folder) throws IOException {
    int count = 0;
    for (Path entry : entries(folder)) {
      String name = name(entry);
      String relative = relative(entry);
      if (Files.isDirectory(entry)) {
        String option = name.substring(0, name.indexOf('=') + 1);
        if (option.isEmpty() || relative(folder).contains("/" + option)) {
          problems.of(relative + "/", "a folder is not allowed here");
        } else {
          switches.problem(name).ifPresent(text -> problems.of(relative + "/", text));
          count += files(entry);
        }
      } else if (!name.equals(README) && Systems.ofFile(name).isEmpty()) {
        problems.of(
            relative, ConfigException.unknown("", "file", name, Systems.files()).getMessage());
        count++;
      } else if (!name.equals(README)) {
        byte[] content = Files.readAllBytes(entry);
        statements.put(relative, content);
        hashes.put(relative, Sha256.of(content));
        count++;
      }
    }
    return count;
  }

  /** The entries of a folder, sorted, except hidden files and backup files of editors. */
  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(entry -> !name(entry).startsWith("."))
          .filter(entry -> !name(entry).endsWith("~") || Files.isDirectory(entry))
          .sorted()
          .toList();
    }
  }

  private void hash(Path file) throws IOException {
    MessageDigest digest = Sha256.digest();
    try (DigestInputStream stream = new DigestInputStream(Files.newInputStream(file), digest)) {
      stream.transferTo(OutputStream.nullOutputStream());
    }
    hashes.put(relative(file), HexFormat.of().formatHex(digest.digest()));
  }

  private String relative(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  private static String name(Path entry) {
    return entry.getFileName().toString();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
