package io.shardload.history;

import io.shardload.bundle.BundleLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a folder of runs holds.
 *
 * @param warnings one line for each run that cannot be used
 */
record Folder(List<KeptRun> runs, List<String> warnings) {
  /** The prefix of folders that are being filled, and of other hidden files. */
  private static final String HIDDEN = ".";

  /** Reads the runs in a folder; other folders are skipped. */
  static Folder read(Path directory) throws IOException {
    List<Path> folders;
    try (Stream<Path> files = Files.list(directory)) {
      folders =
          files
              .filter(one -> !one.getFileName().toString().startsWith(HIDDEN))
              .filter(Files::isDirectory)
              .sorted()
              .toList();
    }
    Conditions.Pool pool = new Conditions.Pool();
    Folder found = new Folder(new ArrayList<>(), new ArrayList<>());
    for (Path folder : folders) {
      if (isRun(folder)) {
        try {
          found.runs.add(KeptRun.read(folder, pool));
        } catch (KeptRun.Damaged e) {
          found.warnings.add(folder.getFileName() + " is left out: " + e.getMessage());
        }
      }
    }
    return found;
  }

  /**
   * The folder may also contain series, comparisons and calibrations. An empty folder, or one with
   * a part of a run's files, counts as an incompletely copied run.
   */
  private static boolean isRun(Path folder) throws IOException {
    BundleLayout layout = new BundleLayout(folder);
    if (Stream.of(layout.run(), layout.summary(), layout.environment(), layout.outcome())
        .anyMatch(Files::exists)) {
      return true;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }
}
