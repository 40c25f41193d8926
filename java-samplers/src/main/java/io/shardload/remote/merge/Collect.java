package io.shardload.remote.merge;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.CollectedFiles;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.LedgerFile;
import io.shardload.bundle.SegmentHistograms;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.UnreadableJournalException;
import io.shardload.remote.wire.Timing;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** What a load host kept of a run, copied from there: {@code <runs>/<run-id>}. */
  private record HostFolder(Path path) {
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

  /** A stream read interval by interval: each ledger line with its histograms. Not thread-safe. */
  static final class Intervals implements Closeable {
    private record Tagged(String tag, SlotCounts counts) {}

    private final BufferedReader ledger;
    private final HistogramLines histograms;
    private final List<String> problems = new ArrayList<>();
    private final List<Tagged> tagged = new ArrayList<>();
    private final String name;
    private JsonObject line;
    private JsonObject next;
    private JsonObject end;

    Intervals(GeneratorLog log) throws IOException {
      this.name = log.hlog().toString();
      this.ledger = Files.newBufferedReader(log.ledger());
      this.histograms = HistogramLines.open(log, problems);
      this.next = read();
      advance();
    }

    private JsonObject read() throws IOException {
      String text = ledger.readLine();
      JsonObject json = text == null ? null : LedgerFile.parse(text);
      if (json != null && LedgerFile.isFinal(json)) {
        end = json;
        return null;
      }
      return json;
    }

    /** The line of the current interval; null at the end. */
    JsonObject line() {
      return line;
    }

    /** The final line once all others are read; null if there is none. */
    JsonObject end() {
      return end;
    }

    long fromNanos() {
      return Json.integer(line, "from_ns", 0);
    }

    long toNanos() {
      return Json.integer(line, "to_ns", 0);
    }

    /** The histograms of the current interval; later intervals do not change them. */
    Merge.Reported take() {
      List<Tagged> taken = List.copyOf(tagged);
      return sums -> taken.forEach(one -> sums.apply(one.tag()).add(one.counts()));
    }

    /**
     * Goes on to the next interval.
     *
     * @throws IOException something cannot be read
     */
    void advance() throws IOException {
      line = next;
      tagged.clear();
      if (line == null) {
        return;
      }
      next = read();
      while (histograms.peek() != null
          && (next == null || histograms.peek().midSeconds() * 1e9 < toNanos())) {
        var interval = histograms.peek();
        SlotCounts counts = histograms.decode();
        if (counts == null) {
          problems.add("a histogram of " + name + " is damaged");
        } else {
          String tag = interval.segment() + "/" + interval.transaction() + "/" + interval.series();
          tagged.add(new Tagged(tag, counts.copy()));
        }
        histograms.advance();
      }
      if (!problems.isEmpty()) {
        throw new IOException(String.join("; ", problems));
      }
    }

    @Override
    public void close() throws IOException {
      ledger.close();
      histograms.close();
    }
  }
}
