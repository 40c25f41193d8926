package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.SessionsFile;
import io.shardload.bundle.json.Json;
import io.shardload.exposition.RecordedGenerator;
import io.shardload.exposition.RecordedGenerator.Family;
import io.shardload.exposition.RunReadings;
import io.shardload.monitoring.Reading;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The series of a run: those of its generators and those of its controller, with the label {@code
 * source="bundle"}. Generators have a point at the start, where everything is 0, and one at the end
 * of each interval; a last one, a second later, counts errors of kinds that the last interval was
 * the first to have. In a run with load hosts histograms, and what is made from them, are of all
 * generators together and carry {@code generator="all"}; everything else is kept by generator.
 */
final class RunSeries implements Closeable {
  static final String SOURCE = "bundle";

  /** The label of series that are only known for all generators together. */
  static final String ALL = "all";

  private static final long LAST_POINT_MILLIS = 1000;

  /** Receives the series, family by family. */
  interface Sink {
    void family(Family family) throws IOException;

    void series(Points points) throws IOException;
  }

  /** Where the values of some of a family's series are. */
  private record Part(SeriesTable table, List<Family.Series> series) {}

  private record Gathered(Family family, List<Part> parts) {}

  /** The values of a generator's wanted metrics: with new places. */
  private static final class Columns {
    private final RecordedGenerator generator;
    private final Predicate<Family> wanted;
    private int[] places = {};
    private int size = -1;

    Columns(RecordedGenerator generator, Predicate<Family> wanted) {
      this.generator = generator;
      this.wanted = wanted;
    }

    private List<Family> wanted() {
      return generator.families().stream().filter(wanted).toList();
    }

    /** New series follow the existing ones. */
    double[] values() {
      double[] all = generator.values();
      if (all.length != size) {
        size = all.length;
        places =
            wanted().stream()
                .flatMap(family -> family.series().stream())
                .mapToInt(Family.Series::place)
                .sorted()
                .toArray();
      }
      return Arrays.stream(places).mapToDouble(place -> all[place]).toArray();
    }

    /** The values that were delivered last. */
    List<Family> families() {
      return wanted().stream()
          .map(
              family ->
                  new Family(
                      family.name(),
                      family.type(),
                      family.help(),
                      family.series().stream().map(this::placed).toList()))
          .toList();
    }

    private Family.Series placed(Family.Series one) {
      int column = Arrays.binarySearch(places, one.place());
      return new Family.Series(one.name(), one.labels(), column);
    }
  }

  private final Bundle bundle;
  private final RunTimes times;
  private final JsonObject summary;
  private final String version;
  private final FileChannel file;
  private final Map<String, Gathered> families = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();
  private SeriesTable longest;
  private long lastMillis;

  private RunSeries(Bundle bundle, JsonObject summary) throws IOException {
    this.bundle = bundle;
    this.times = RunTimes.of(bundle);
    this.summary = summary;
    this.version = Json.text(bundle.environment(), "shardload_version", "");
    Path temporary = Files.createTempFile("shardload-series", ".tmp");
    this.file =
        FileChannel.open(
            temporary,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
  }

  /**
   * Reads a bundle.
   *
   * @param summary the content of summary.json
   */
  static RunSeries of(Bundle bundle, JsonObject summary) throws IOException {
    RunSeries all = new RunSeries(bundle, summary);
    try {
      if (bundle.merged() != null) {
        all.read(bundle.merged(), ALL, RecordedGenerator::isFromHistograms);
        for (GeneratorLog generator : bundle.generators()) {
          all.read(
              generator, "" + generator.generator(), f -> !RecordedGenerator.isFromHistograms(f));
        }
      } else {
        for (GeneratorLog generator : bundle.generators()) {
          all.read(generator, "" + generator.generator(), family -> true);
        }
      }
      return all;
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private void read(GeneratorLog log, String name, Predicate<Family> wanted) throws IOException {
    Map<String, String> labels = labels();
    labels.put("generator", name);
    RecordedGenerator generator =
        new RecordedGenerator(
            labels,
            List.copyOf(Json.object(bundle.run(), "mix").keySet()),
            bundle.hasHosts() && !name.equals(ALL),
            (int) Json.integer(bundle.machine(log.generator()), "cpus", 0),
            bundle.open() && log.end() != null ? log.end().scheduled() : Map.of());
    Columns columns = new Columns(generator, wanted);
    SeriesTable table = new SeriesTable(file);
    long start = times.startEpochMillis(log);
    table.add(start, columns.values());
    long[] last = {start};
    try {
      SecondRows.replay(
          log,
          problems,
          (line, histograms) -> {
            generator.second(line, histograms);
            last[0] = Math.max(last[0] + 1, start + Json.integer(line, "to_ns", 0) / 1_000_000);
            add(table, last[0], columns.values());
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    generator.finish();
    long end = last[0] + LAST_POINT_MILLIS;
    table.add(end, columns.values());
    longest = longest == null || end > lastMillis ? table : longest;
    lastMillis = Math.max(lastMillis, end);
    columns.families().forEach(family -> add(family, table));
  }

  private static void add(SeriesTable table, long epochMillis, double[] values) {
    try {
      table.add(epochMillis, values);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(Family family, SeriesTable table) {
    families
        .computeIfAbsent(family.name(), name -> new Gathered(family, new ArrayList<>()))
        .parts
        .add(new Part(table, family.series()));
  }

  private Map<String, String> labels() {
    Map<String, String> labels = new TreeMap<>(RunReadings.labels(bundle.run()));
    labels.put("source", SOURCE);
    return labels;
  }

  /** What could not be read, in plain words. */
  List<String> problems() {
    return problems;
  }

  /** When the run began and ended. */
  RunTimes times() {
    return times;
  }

  /** When the last point is. */
  long lastMillis() {
    return Math.max(lastMillis, ControllerSeries.lastMillis(times));
  }

  /** The sum of the last values of a generators' metric. */
  double last(String name) throws IOException {
    double sum = 0;
    for (Part part : families.get(name).parts) {
      for (Family.Series one : part.series) {
        sum += points(part, one).last();
      }
    }
    return sum;
  }

  private static Points points(Part part, Family.Series one) throws IOException {
    double[] values = part.table.column(one.place());
    return new Points(one.name(), one.labels(), part.table.epochMillis(), values);
  }

  /** How many series there are, those of the controller left out. */
  long size() {
    return families.values().stream()
        .flatMap(family -> family.parts.stream())
        .mapToLong(part -> part.series.size())
        .sum();
  }

  /** Gives all series, those of one family together. */
  void writeTo(Sink sink) throws IOException {
    for (Gathered family : families.values()) {
      sink.family(family.family);
      for (Part part : family.parts) {
        for (Family.Series one : part.series) {
          sink.series(points(part, one));
        }
      }
    }
    long[] moments = longest == null ? new long[0] : longest.epochMillis();
    new ControllerSeries(bundle, version, times, summary, labels(), moments).writeTo(sink);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /**
   * The series that the controller serves of a run, at given moments and for 15 s after its end,
   * when its result is among them. There are only some dozens, so they are kept in memory.
   */
  private static final class ControllerSeries {
    private static final int SECONDS_AFTER_END = 15;

    private final Bundle bundle;
    private final String version;
    private final RunTimes times;
    private final JsonObject summary;
    private final Map<String, String> labels;
    private final long[] moments;

    /** Values by family and labels; the array has one for each moment. */
    private final Map<String, Map<Map<String, String>, double[]>> values = new TreeMap<>();

    private final Map<String, String> helps = new LinkedHashMap<>();

    /**
     * @param moments in order of time; those after the end are left out
     */
    ControllerSeries(
        Bundle bundle,
        String version,
        RunTimes times,
        JsonObject summary,
        Map<String, String> labels,
        long[] moments) {
      this.bundle = bundle;
      this.version = version;
      this.times = times;
      this.summary = summary;
      this.labels = labels;
      this.moments = withEnd(moments);
    }

    private long[] withEnd(long[] all) {
      long end = times.endMillis();
      long[] during = Arrays.stream(all).filter(moment -> moment < end).toArray();
      long[] with = Arrays.copyOf(during, during.length + SECONDS_AFTER_END + 1);
      for (int i = 0; i <= SECONDS_AFTER_END; i++) {
        with[during.length + i] = end + 1000L * i;
      }
      return with;
    }

    void writeTo(Sink sink) throws IOException {
      long[] now = {times.startMillis()};
      RunReadings readings = new RunReadings(bundle.run(), version, () -> now[0]);
      readings.started(times.startMillis());
      for (var fault : FaultsFile.read(new BundleLayout(bundle.directory()).faults())) {
        fault.events().forEach(readings::fault);
      }
      for (int i = 0; i < moments.length; i++) {
        now[0] = moments[i];
        if (moments[i] == times.endMillis()) {
          readings.ended(now[0]);
          readings.judged(summary);
        }
        for (Reading reading : readings.get()) {
          add(reading, i);
        }
      }
      try {
        SessionsFile.read(new BundleLayout(bundle.directory()).sessions(), this::add);
      } catch (IOException | RuntimeException e) {
        // These figures are not part of the measurement, and a bundle may come from anywhere.
      }
      for (Map.Entry<String, Map<Map<String, String>, double[]>> family : values.entrySet()) {
        String name = family.getKey();
        sink.family(new Family(name, "gauge", helps.get(name), List.of()));
        for (Map.Entry<Map<String, String>, double[]> series : family.getValue().entrySet()) {
          sink.series(new Points(name, series.getKey(), moments, series.getValue()));
        }
      }
    }

    /** What sessions did during the load, at the next of the moments. */
    private void add(SessionsFile.Moment sessions) {
      int found = Arrays.binarySearch(moments, sessions.epochMillis());
      int next = found < 0 ? -found - 1 : found;
      if (sessions.epochMillis() >= times.startMillis() && next < moments.length) {
        RunReadings.readings(sessions).forEach(reading -> add(reading, next));
      }
    }

    private void add(Reading reading, int moment) {
      Map<String, String> all = new TreeMap<>(labels);
      all.putAll(reading.labels());
      helps.putIfAbsent(reading.name(), reading.help());
      double[] series =
          values
              .computeIfAbsent(reading.name(), name -> new LinkedHashMap<>())
              .computeIfAbsent(all, key -> nothing());
      series[moment] = reading.value();
    }

    private double[] nothing() {
      double[] none = new double[moments.length];
      Arrays.fill(none, Double.NaN);
      return none;
    }

    /** The last moment with values. */
    static long lastMillis(RunTimes times) {
      return times.endMillis() + 1000L * SECONDS_AFTER_END;
    }
  }

  /**
   * Values of many series at the same moments: written moment by moment, read series by series.
   * They lie in a file in blocks of some moments, within a block series by series.
   */
  static final class SeriesTable {
    private static final int BLOCK_ROWS = 64;

    private record Block(long position, int rows, int columns) {}

    private final FileChannel file;
    private final List<Block> blocks = new ArrayList<>();
    private final double[][] waiting = new double[BLOCK_ROWS][];
    private int waitingRows;
    private long[] epochMillis = new long[BLOCK_ROWS];
    private int rows;

    /**
     * Makes an empty one.
     *
     * @param file where its blocks go; other tables may have theirs there too
     */
    SeriesTable(FileChannel file) {
      this.file = file;
    }

    /** Adds the values of a moment, by place; later moments may have more series. */
    void add(long atEpochMillis, double[] values) throws IOException {
      if (rows == epochMillis.length) {
        epochMillis = Arrays.copyOf(epochMillis, 2 * rows);
      }
      epochMillis[rows++] = atEpochMillis;
      waiting[waitingRows++] = values;
      if (waitingRows == BLOCK_ROWS) {
        flush();
      }
    }

    private void flush() throws IOException {
      if (waitingRows == 0) {
        return;
      }
      int columns = waiting[waitingRows - 1].length;
      ByteBuffer bytes = ByteBuffer.allocate(columns * waitingRows * Double.BYTES);
      for (int column = 0; column < columns; column++) {
        for (int row = 0; row < waitingRows; row++) {
          double[] values = waiting[row];
          bytes.putDouble(column < values.length ? values[column] : Double.NaN);
        }
      }
      bytes.flip();
      Block block = new Block(file.size(), waitingRows, columns);
      long position = block.position;
      while (bytes.hasRemaining()) {
        position += file.write(bytes, position);
      }
      blocks.add(block);
      waitingRows = 0;
    }

    /** When the values are of. */
    long[] epochMillis() {
      return Arrays.copyOf(epochMillis, rows);
    }

    /** The values of a series, one for each moment; NaN before it began. */
    double[] column(int place) throws IOException {
      flush();
      double[] column = new double[rows];
      int at = 0;
      for (Block block : blocks) {
        if (place < block.columns) {
          DoubleBuffer values = read(block, place);
          values.get(column, at, block.rows);
        } else {
          Arrays.fill(column, at, at + block.rows, Double.NaN);
        }
        at += block.rows;
      }
      return column;
    }

    private DoubleBuffer read(Block block, int place) throws IOException {
      int length = block.rows * Double.BYTES;
      ByteBuffer bytes = ByteBuffer.allocate(length);
      long from = block.position + (long) place * length;
      while (bytes.hasRemaining()) {
        if (file.read(bytes, from + bytes.position()) < 0) {
          throw new IOException("the temporary file of the series is cut off");
        }
      }
      return bytes.flip().asDoubleBuffer();
    }
  }
}
