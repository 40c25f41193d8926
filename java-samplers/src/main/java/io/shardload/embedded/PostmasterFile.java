package io.shardload.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The file {@code postmaster.pid} that a running server keeps in its data directory, and that a
 * killed server leaves behind.
 *
 * @param cluster the data directory it was found in
 * @param pid the server's process id
 * @param port that it listens on; 0 until the file contains it
 * @param ready whether it accepts connections
 */
record PostmasterFile(Path cluster, long pid, int port, boolean ready) {
  private static final int PORT_LINE = 3;
  private static final int STATUS_LINE = 7;

  static Path path(Path cluster) {
    return cluster.resolve("postmaster.pid");
  }

  /** Reads the file; empty if there is no file, or if it is incomplete. */
  static Optional<PostmasterFile> read(Path cluster) {
    try {
      List<String> lines = Files.readAllLines(path(cluster));
      return lines.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new PostmasterFile(
                  cluster,
                  Long.parseLong(lines.get(0).strip()),
                  lines.size() > PORT_LINE ? Integer.parseInt(lines.get(PORT_LINE).strip()) : 0,
                  lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready")));
    } catch (NoSuchFileException | NumberFormatException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot read " + path(cluster) + ": " + e, e);
    }
  }

  /**
   * Returns the server's process, if the process with that id is a postmaster of this very
   * directory.
   */
  Optional<ProcessHandle> server() {
    return ProcessHandle.of(pid).filter(this::isPostmaster);
  }

  // The id alone proves nothing: another process may have it by now.
  private boolean isPostmaster(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.command().map(Path::of).map(Path::getFileName).stream()
            .anyMatch(name -> name.toString().startsWith("postgres"))
        && Arrays.asList(info.arguments().orElse(new String[0])).contains(cluster.toString());
  }
}
