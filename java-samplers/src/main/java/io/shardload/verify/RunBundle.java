package io.shardload.verify;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The bundle of the run that a data set waits for.
 *
 * @param temporary an empty folder in its place, which {@link #close} deletes
 */
public record RunBundle(Path path, boolean temporary) implements AutoCloseable {
  /** That of a run which has just ended. */
  public static RunBundle of(Path bundle) {
    return new RunBundle(bundle, false);
  }

  /**
   * Looks for it among all runs.
   *
   * @param dirtyRun the run that the data set waits for; a clean data set waits for none
   * @throws ConfigException it is not there
   */
  public static RunBundle find(Path runs, String dirtyRun) throws IOException {
    if (dirtyRun.isEmpty()) {
      return new RunBundle(Files.createTempDirectory("shardload-verify"), true);
    }
    Path bundle = runs.resolve(dirtyRun);
    if (!Files.isDirectory(bundle)) {
      throw new ConfigException(
              "target",
              "the data set waits for run %s, whose bundle is not in %s; bring it there"
                  .formatted(dirtyRun, runs))
          .advise(
              Advice.recreate(
                  "to drop all documents and give up what the run wrote",
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
