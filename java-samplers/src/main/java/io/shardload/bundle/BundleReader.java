package io.shardload.bundle;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostsFile;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Reads a run bundle, also one of a run that was cut off: only run.json must be there. A last
 * ledger line that was torn in writing is left out; any other line that cannot be read is a problem
 * that makes the run invalid.
 */
public final class BundleReader {
  private BundleReader() {}

  public static Bundle read(Path directory) throws IOException {
    List<String> problems = new ArrayList<>();
    BundleLayout layout = new BundleLayout(directory);
    List<GeneratorLog> generators = generators(directory);
    return new Bundle(
        directory,
        asItWas(run(layout, problems), generators),
        json(layout.environment(), problems),
        json(layout.evidence(), problems),
        json(layout.verification(), problems),
        json(layout.outcome(), problems),
        hosts(layout.hosts()),
        generators,
        merged(directory),
        problems);
  }

  /** The configuration with the length that the warm-up had in the end. */
  private static JsonObject asItWas(JsonObject run, List<GeneratorLog> generators) {
    long prolonged =
        generators.stream().mapToLong(one -> one.extent().prolongedNanos()).max().orElse(0);
    JsonArray segments = Json.array(Json.object(run, "load"), "segments");
    JsonObject warmUp = segments.isEmpty() ? null : segments.get(0).getAsJsonObject();
    if (prolonged > 0 && Json.text(warmUp, "kind", "").equals("warm-up")) {
      warmUp.add("asked_seconds", warmUp.get("seconds"));
      warmUp.addProperty("seconds", Json.number(warmUp, "seconds", 0) + prolonged / 1e9);
      Json.object(run, "load").addProperty("prolonged_ns", prolonged);
    }
    return run;
  }

  /**
   * Reads the small files of a bundle: the configuration, the environment and the outcome, without
   * any measurement.
   */
  public static Bundle readFacts(Path directory) throws IOException {
    List<String> problems = new ArrayList<>();
    BundleLayout layout = new BundleLayout(directory);
    return new Bundle(
        directory,
        run(layout, problems),
        json(layout.environment(), problems),
        null,
        json(layout.verification(), problems),
        json(layout.outcome(), problems),
        null,
        List.of(),
        null,
        problems);
  }

  /** The summary that was written after the run; null if there is none or it cannot be read. */
  public static JsonObject summary(Path directory) throws IOException {
    return json(new BundleLayout(directory).summary(), new ArrayList<>());
  }

  private static JsonObject run(BundleLayout layout, List<String> problems) throws IOException {
    refuseLinks(layout.directory());
    JsonObject run = json(layout.run(), problems);
    if (run == null) {
      throw new IOException(
          problems.isEmpty()
              ? "no readable " + layout.run().getFileName() + " in " + layout.directory()
              : layout.directory() + "/" + problems.get(0));
    }
    return run;
  }

  /** A bundle may come from anywhere: a link in it would have any file of this machine read. */
  private static void refuseLinks(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    Path bundle = directory.toRealPath();
    try (Stream<Path> files = Files.walk(bundle)) {
      Optional<Path> link =
          files.filter(BundleReader::isRead).filter(Files::isSymbolicLink).findFirst();
      if (link.isPresent()) {
        throw new IOException(
            "%s is a link: a bundle must contain its files itself".formatted(link.get()));
      }
    }
  }

  /**
   * Everything but what is being written, which {@link WholeFile} does not write through a link.
   */
  private static boolean isRead(Path file) {
    return !file.getFileName().toString().endsWith(".part");
  }

  /**
   * What the run's profile asked to be verified; all documents if the bundle does not contain it.
   */
  public static VerificationMode verification(Path directory) throws IOException {
    JsonObject run = json(new BundleLayout(directory).run(), new ArrayList<>());
    return VerificationMode.of(
        Json.text(Json.object(run, "run"), "verification", VerificationMode.ALL.label()));
  }

  private static JsonObject json(Path file, List<String> problems) throws IOException {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    String name = file.getFileName().toString();
    String problem;
    try {
      JsonElement element = JsonParser.parseString(Files.readString(file));
      problem = Shape.wrong(name, element);
      if (problem.isEmpty()) {
        return element.getAsJsonObject();
      }
    } catch (JsonParseException unreadable) {
      problem = name + " cannot be read";
    }
    problems.add(problem);
    return null;
  }

  /**
   * These figures are not part of the measurement: an unreadable file is reported and invalidates
   * nothing.
   */
  private static HostMetrics hosts(Path file) {
    if (!Files.isRegularFile(file)) {
      return null;
    }
    try (Reader in = Files.newBufferedReader(file)) {
      return HostsFile.read(in);
    } catch (IOException | RuntimeException e) {
      return unknown(file.getFileName() + " cannot be read");
    } catch (OutOfMemoryError e) {
      return unknown(file.getFileName() + " does not fit into memory");
    }
  }

  private static HostMetrics unknown(String why) {
    return new HostMetrics(HostMetrics.LOCAL, "", 1, List.of(), List.of(why));
  }

  /** What the generators left in a bundle, by their numbers. The directory need not be a bundle. */
  public static List<GeneratorLog> generators(Path directory) throws IOException {
    List<GeneratorLog> generators = new ArrayList<>();
    for (int number : new BundleLayout(directory).generatorsWithLedger()) {
      generators.add(generator(directory, number));
    }
    return Collections.unmodifiableList(generators);
  }

  /** What one generator left in a bundle; nothing if it has no ledger. */
  public static GeneratorLog generator(Path directory, int number) throws IOException {
    return log(new BundleLayout(directory), number, BundleLayout.stream(number));
  }

  /** All generators together, or null if each has its intervals in files of its own. */
  public static GeneratorLog merged(Path directory) throws IOException {
    BundleLayout layout = new BundleLayout(directory);
    return Files.exists(layout.ledger(BundleLayout.MERGED))
        ? log(layout, GeneratorLog.MERGED, BundleLayout.MERGED)
        : null;
  }

  private static GeneratorLog log(BundleLayout layout, int number, String stream)
      throws IOException {
    Contents contents = new Contents(stream);
    LedgerFile.read(layout.ledger(stream), contents);
    return new GeneratorLog(
        number,
        layout.ledger(stream),
        contents.extent(),
        contents.end,
        layout.histograms(stream),
        contents.problems);
  }

  /** What must be known of a ledger before its lines are read. */
  private static final class Contents implements LedgerFile.Listener {
    private final String stream;
    private final List<String> problems = new ArrayList<>();
    private GeneratorLog.End end;
    private long lines;
    private JsonObject first;
    private JsonObject last;
    private long prolongedNanos;

    Contents(String stream) {
      this.stream = stream.replace('-', ' ');
    }

    @Override
    public void line(long number, JsonObject json) {
      if (json == null) {
        problems.add("ledger line " + number + " of " + stream + " cannot be read");
        return;
      }
      prolongedNanos = Math.max(prolongedNanos, Json.integer(json, "prolonged_ns", 0));
      if (LedgerFile.isFinal(json)) {
        end = end(json);
        long format = Json.integer(json, "format", 0);
        if (format != GeneratorLog.FORMAT) {
          problems.add(
              "the ledger of %s has format %d, not %d"
                  .formatted(stream, format, GeneratorLog.FORMAT));
        }
      } else {
        lines++;
        first = first == null ? json : first;
        last = json;
      }
    }

    GeneratorLog.Extent extent() {
      return new GeneratorLog.Extent(
          lines,
          Json.integer(first, "epoch_ms", 0),
          Json.integer(last, "epoch_ms", 0),
          Json.integer(last, "to_ns", 0),
          Json.integer(last, GeneratorLog.SILENT_SINCE, Json.integer(last, "to_ns", 0)),
          Json.integer(last, "hlog_bytes", 0),
          prolongedNanos);
    }
  }

  private static GeneratorLog.End end(JsonObject line) {
    Map<String, GeneratorLog.Span> spans = new LinkedHashMap<>();
    JsonObject times = Json.object(line, "segments_ns");
    for (String segment : times.keySet()) {
      var pair = Json.array(times, segment);
      if (pair.size() == 2) {
        spans.put(segment, new GeneratorLog.Span(pair.get(0).getAsLong(), pair.get(1).getAsLong()));
      }
    }
    Map<String, Map<String, Long>> scheduled = new LinkedHashMap<>();
    JsonObject all = Json.object(line, "scheduled");
    for (String segment : all.keySet()) {
      scheduled.put(segment, numbers(Json.object(all, segment)));
    }
    return new GeneratorLog.End(
        Json.text(line, "stop_reason", "schedule"),
        Json.integer(line, "workers_ended_early", 0),
        Json.text(line, "worker_error", ""),
        Json.text(line, "metrics_error", ""),
        Json.integer(line, "start_epoch_ms", 0),
        Json.integer(line, "actual_end_ns", 0),
        Json.integer(line, "hlog_bytes", 0),
        spans,
        Json.integer(line, "workers", 0),
        line.has("busy_ns") ? numbers(Json.object(line, "busy_ns")) : null,
        scheduled,
        numbers(Json.object(line, "connections")),
        Issued.of(line),
        Json.integer(line, "retired", 0),
        texts(Json.object(line, "error_samples")),
        Json.number(line, "clock_step_ms", Double.NaN));
  }

  private static Map<String, String> texts(JsonObject json) {
    Map<String, String> texts = new TreeMap<>();
    json.keySet().forEach(key -> texts.put(key, Json.text(json, key, "")));
    return texts;
  }

  private static Map<String, Long> numbers(JsonObject json) {
    Map<String, Long> numbers = new LinkedHashMap<>();
    json.keySet().forEach(key -> numbers.put(key, Json.integer(json, key, 0)));
    return numbers;
  }
}
