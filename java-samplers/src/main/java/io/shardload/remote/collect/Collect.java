package io.shardload.remote.collect;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.SegmentHistograms;
import io.shardload.bundle.collected.CollectedFiles;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.remote.wire.Timing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Merges folders that were copied from load hosts into the bundle of their run. A host's own files
 * replace what came from it during the run, if they hold at least as much; new files are written
 * next to the bundle's files first, so that a failure changes nothing.
 */
public final class Collect {
  private final Path bundle;
  private final Path work;
  private final Bundle before;
  private final int generators;
  private final SortedMap<Integer, HostFolder> folders;
  private final List<String> lines = new ArrayList<>();

  private Collect(Path bundle, List<Path> paths) throws IOException {
    this.bundle = bundle;
    this.work = bundle.resolve("collect.part");
    this.before = BundleReader.read(bundle);
    this.generators = before.expectedGenerators();
    String runId = Json.text(Json.object(before.run(), "run"), "id", "");
    this.folders = HostFolder.generators(paths, runId, generators);
  }

  /**
   * Merges folders into a bundle.
   *
   * @param plannedNanos how long the run was to take
   * @return {@code collected}: the generators in the folders; {@code missing}: those of which the
   *     bundle has no final line; {@code lines} for people
   * @throws ConfigException a folder does not belong to the run
   */
  public static JsonObject collect(Path bundle, List<Path> folders, long plannedNanos)
      throws IOException {
    Collect collect = new Collect(bundle, folders);
    delete(collect.work);
    try {
      collect.make(plannedNanos);
      return collect.answer();
    } finally {
      delete(collect.work);
    }
  }

  private void make(long plannedNanos) throws IOException {
    List<Integer> replaced = new ArrayList<>();
    for (int generator : folders.keySet()) {
      checkJournal(generator);
      if (isAsLong(generator)) {
        make(generator);
        replaced.add(generator);
      } else {
        lines.add(
            "generator %d: the bundle has more data than %s; the bundle keeps its ledger"
                .formatted(generator, folders.get(generator).path()));
      }
    }
    RebuiltStream merged = new RebuiltStream(before, work, generators, plannedNanos);
    if (replaced.size() == generators) {
      merged.fromAll(logs(replaced));
    } else if (!replaced.isEmpty() && !merged.addMissing(logs(replaced))) {
      lines.add(
          "the merged intervals are unchanged, because a lost generator's second cannot be removed"
              + " from a longer interval; pass the folders of all load hosts at once");
    }
    install();
  }

  private Map<Integer, GeneratorLog> logs(List<Integer> of) throws IOException {
    Map<Integer, GeneratorLog> logs = new TreeMap<>();
    for (int generator : of) {
      logs.put(generator, folders.get(generator).log(generator));
    }
    return logs;
  }

  /** The copy that came during the run must be the beginning of the host's file. */
  private void checkJournal(int generator) throws IOException {
    Path original = folders.get(generator).journal(generator);
    Path received = new BundleLayout(bundle).journal(generator);
    if (Files.exists(original) && Files.exists(received)) {
      long differs = Files.mismatch(original, received);
      if (differs >= 0 && differs < Math.min(Files.size(original), Files.size(received))) {
        throw new ConfigException(
            "folders", "%s and %s differ at byte %d".formatted(original, received, differs));
      }
    }
    if (Files.exists(original)
        && (!Files.exists(received) || Files.size(original) >= Files.size(received))) {
      Path into = new BundleLayout(work).journal(generator);
      Files.createDirectories(into.getParent());
      Files.copy(original, into);
    }
  }

  private boolean isAsLong(int generator) throws IOException {
    GeneratorLog original = folders.get(generator).log(generator);
    GeneratorLog received = BundleReader.generator(bundle, generator);
    return original.end() != null
        || (received.end() == null
            && original.extent().lastToNanos() >= received.extent().lastToNanos());
  }

  /** The ledger of a generator, and its histograms by segment if it has a final line. */
  private void make(int generator) throws IOException {
    GeneratorLog log = folders.get(generator).log(generator);
    try (CollectedFiles files = new CollectedFiles(work, generator, 1, Integer.MAX_VALUE);
        Intervals intervals = new Intervals(log)) {
      for (; intervals.line() != null; intervals.advance()) {
        files.line(intervals.line());
      }
      if (log.end() != null) {
        Path segments = work.resolve("segments-" + generator);
        SegmentHistograms.write(log, segments);
        copy(segments, files);
        files.finish(intervals.end(), Files.size(segments), 0);
        Files.delete(segments);
      }
    }
  }

  private static void copy(Path segments, CollectedFiles files) throws IOException {
    long offset = 0;
    try (InputStream in = Files.newInputStream(segments)) {
      for (byte[] piece = in.readNBytes(Timing.PIECE_BYTES);
          piece.length > 0;
          piece = in.readNBytes(Timing.PIECE_BYTES)) {
        files.histograms(offset, piece);
        offset += piece.length;
      }
    }
  }

  private void install() throws IOException {
    try (Stream<Path> files = Files.walk(work)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path into = bundle.resolve(work.relativize(file));
        Files.createDirectories(into.getParent());
        Files.move(file, into, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private JsonObject answer() throws IOException {
    JsonArray collected = new JsonArray();
    folders.keySet().forEach(collected::add);
    JsonArray missing = new JsonArray();
    for (int generator = 0; generator < generators; generator++) {
      if (BundleReader.generator(bundle, generator).end() == null) {
        missing.add(generator);
        lines.add(before.name(generator) + " left no final ledger line");
      }
    }
    JsonObject ok = new JsonObject();
    ok.add("collected", collected);
    ok.add("missing", missing);
    ok.add("lines", Json.strings(lines));
    return ok;
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
