package io.shardload.remote.collect;

import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.UnreadableJournalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a load host kept of a run, copied from there: {@code <runs>/<run-id>}. */
record HostFolder(Path path) {
  private static final String KEY = "folders";

  /**
   * The generators with a ledger in folders, by their numbers.
   *
   * @throws ConfigException a folder is of another run, or has nothing, or two have the same
   *     generator
   */
  static SortedMap<Integer, HostFolder> generators(
      Iterable<Path> folders, String runId, int generators) throws IOException {
    SortedMap<Integer, HostFolder> all = new TreeMap<>();
    for (Path path : folders) {
      HostFolder folder = new HostFolder(path);
      folder.check(runId);
      for (int generator : new BundleLayout(path).generatorsWithLedger()) {
        if (generator >= generators) {
          throw new ConfigException(
              KEY, "%s: the run has no generator %d".formatted(path, generator));
        }
        HostFolder other = all.putIfAbsent(generator, folder);
        if (other != null && !Files.isSameFile(other.path, path)) {
          throw new ConfigException(
              KEY,
              "generator %d is in two folders: %s and %s".formatted(generator, other.path, path));
        }
      }
    }
    return all;
  }

  private void check(String runId) throws IOException {
    BundleLayout layout = new BundleLayout(path);
    if (layout.generatorsWithLedger().isEmpty()) {
      throw new ConfigException(KEY, path + " contains no generator's ledger");
    }
    String name = path.toRealPath().getFileName().toString();
    boolean named = name.equals(runId);
    for (int generator : layout.generatorsWithJournal()) {
      Optional<JournalHeader> header = header(layout.journal(generator));
      if (header.isPresent()) {
        refuse(header.get().runId(), runId);
        named = true;
      }
    }
    if (Files.exists(layout.run())) {
      refuse(Json.text(Json.object(BundleReader.read(path).run(), "run"), "id", ""), runId);
      named = true;
    }
    if (!named) {
      refuse(name, runId);
    }
  }

  private static Optional<JournalHeader> header(Path journal) {
    try {
      return JournalHeader.read(journal);
    } catch (UnreadableJournalException e) {
      throw new ConfigException(KEY, e.getMessage());
    }
  }

  private void refuse(String found, String runId) {
    if (!found.equals(runId)) {
      throw new ConfigException(
          KEY, "%s belongs to run %s, not to run %s".formatted(path, found, runId));
    }
  }

  GeneratorLog log(int generator) throws IOException {
    return BundleReader.generator(path, generator);
  }

  Path journal(int generator) {
    return new BundleLayout(path).journal(generator);
  }
}
