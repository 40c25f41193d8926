package io.shardload.verify;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.Header;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The bundle of the run with which a data set must be verified.
 *
 * @param temporary an empty folder instead of the bundle, which {@link #close} deletes
 */
public record RunBundle(Path path, boolean temporary) implements AutoCloseable {
  /** The bundle of a run that has just ended. */
  public static RunBundle of(Path bundle) {
    return new RunBundle(bundle, false);
  }

  /**
   * Looks for the bundle among all runs.
   *
   * @param header of the data set: it names the run that must be verified, or has lost this name;
   *     empty if the target keeps no data
   * @throws ConfigException it is not there
   */
  public static RunBundle find(Path runs, Optional<Header> header) throws IOException {
    String dirtyRun = header.filter(Header::ofRun).map(Header::dirtyRun).orElse("");
    if (dirtyRun.isEmpty()) {
      Optional<Path> lost = header.isEmpty() ? Optional.empty() : BegunRun.lost(runs, header.get());
      return lost.isPresent()
          ? of(lost.get())
          : new RunBundle(Files.createTempDirectory("shardload-verify"), true);
    }
    Path bundle = runs.resolve(dirtyRun);
    if (!Files.isDirectory(bundle)) {
      throw new ConfigException(
              "target",
              "the data set must be verified with run %s, but its bundle is not in %s; copy the bundle there"
                  .formatted(dirtyRun, runs))
          .advise(
              Advice.recreate(
                  "to drop all documents and discard what the run wrote",
                  "--discard-unsettled",
                  dirtyRun));
    }
    return of(bundle);
  }

  @Override
  public void close() throws IOException {
    if (!temporary) {
      return;
    }
    List<Path> all;
    try (Stream<Path> files = Files.walk(path)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : all) {
      Files.delete(file);
    }
  }
}
