package io.shardload.workload.statements.folder;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Collects the problems of a folder. Not thread-safe. */
final class Problems implements Consumer<Problem> {
  private final String folder;
  private final List<ConfigException> whole = new ArrayList<>();
  private final List<Problem> inFiles = new ArrayList<>();

  Problems(String folder) {
    this.folder = folder;
  }

  @Override
  public void accept(Problem problem) {
    inFiles.add(problem);
  }

  /** A problem of a file or folder as a whole. */
  void of(String name, String text) {
    whole.add(new ConfigException("", "%s/%s: %s".formatted(folder, name, text)));
  }

  /** Throws all problems: problems of whole files first, then by file and line. */
  void raise() {
    inFiles.stream()
        .sorted(
            Comparator.comparing((Problem problem) -> problem.place().file())
                .thenComparing(problem -> problem.place().line()))
        .map(problem -> new ConfigException("", folder + "/" + problem))
        .forEach(whole::add);
    if (!whole.isEmpty()) {
      throw ConfigException.of(whole);
    }
  }
}
