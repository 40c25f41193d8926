package io.shardload.workload.statements.folder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The hash of a folder: SHA-256 over all files that count, sorted by their paths. For each file:
 * the path relative to the folder with slashes, a zero byte, the content's length in decimal, a
 * zero byte, the content.
 */
final class FolderHash {
  private FolderHash() {}

  static String of(Path folder) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    for (String file : files(folder)) {
      byte[] content = Files.readAllBytes(folder.resolve(file));
      digest.update((file + "\0" + content.length + "\0").getBytes(StandardCharsets.UTF_8));
      digest.update(content);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The files that count, relative and sorted: not those of editors and of version control. */
  static List<String> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString().replace('\\', '/'))
          .filter(FolderHash::counts)
          .sorted()
          .toList();
    }
  }

  private static boolean counts(String file) {
    boolean hidden = Stream.of(file.split("/")).anyMatch(part -> part.startsWith("."));
    return !hidden && !file.endsWith("~");
  }
}
