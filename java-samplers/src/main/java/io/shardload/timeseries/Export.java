package io.shardload.timeseries;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.LedgerFile;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.exposition.RecordedGenerator.Family;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A bundle as files for other tools; docs/export.md describes them. */
public final class Export {
  private static final List<String> HOST_COLUMNS = hostColumns();

  /** Of the JSON document; rises when a key changes its meaning or goes away. */
  public static final int FORMAT = 1;

  private static final List<String> FORMATS = List.of("csv", "json", "openmetrics");
  private static final Gson GSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private final FinishedRun run;
  private final List<String> problems = new ArrayList<>();

  private Export(FinishedRun run) {
    this.run = run;
  }

  /** Writes a part of the export. */
  private interface Content {
    void write(Writer out) throws IOException;
  }

  /**
   * The verb {@code export} of the controller's child.
   *
   * @param request {@code directory} of the bundle, {@code format}, {@code output}
   */
  public static JsonObject run(JsonObject request) throws IOException {
    try {
      return run(
          Path.of(request.get("directory").getAsString()),
          request.get("format").getAsString(),
          Path.of(request.get("output").getAsString()));
    } catch (FileSystemException e) {
      String why = e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
      throw new ConfigException("", "cannot write " + e.getFile() + ": " + why);
    }
  }

  /**
   * Writes a bundle.
   *
   * @param output the file, or for csv the folder; what is there is replaced
   * @return {@code files}, and in {@code problems} what of the bundle could not be read
   * @throws ConfigException the format is unknown, or the run was not judged
   */
  static JsonObject run(Path bundle, String format, Path output) throws IOException {
    if (!FORMATS.contains(format)) {
      throw ConfigException.unknown("", "format", format, FORMATS);
    }
    Export export = new Export(FinishedRun.read(bundle));
    List<Path> files =
        switch (format) {
          case "csv" -> export.csv(output);
          case "json" -> List.of(write(output, export::json));
          default -> List.of(write(output, export::openMetrics));
        };
    HostMetrics hosts = export.run.bundle().hosts();
    export.problems.addAll(hosts == null ? List.of() : hosts.missing());
    JsonObject done = new JsonObject();
    done.add("files", Json.strings(files.stream().map(Path::toString).toList()));
    done.add("problems", Json.strings(export.problems));
    return done;
  }

  /** Whole or not at all; a device or pipe is written to as it is. */
  private static Path write(Path file, Content content) throws IOException {
    boolean special = Files.exists(file) && !Files.isRegularFile(file);
    Path target = special ? file : file.resolveSibling(file.getFileName() + ".part");
    try {
      try (Writer out = Files.newBufferedWriter(target)) {
        content.write(out);
      }
      if (!special) {
        Files.move(target, file, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      if (!special) {
        Files.deleteIfExists(target);
      }
    }
    return file;
  }

  private void openMetrics(Writer out) throws IOException {
    try (RunSeries series = RunSeries.of(run.bundle(), run.summary())) {
      OpenMetrics.write(series, out);
      problems.addAll(series.problems());
    }
  }

  private void json(Writer out) throws IOException {
    JsonWriter json = GSON.newJsonWriter(out);
    json.beginObject();
    json.name("format").value(FORMAT);
    json.name("run_id").value(run.id());
    json.name("start_epoch_ms").value(RunTimes.of(run.bundle()).startMillis());
    json.name("summary");
    GSON.toJson(run.summary(), json);
    json.name("seconds").beginArray();
    seconds(row -> GSON.toJson(row, json));
    json.endArray();
    HostMetrics hosts = run.bundle().hosts();
    json.name("hosts_missing");
    GSON.toJson(Json.strings(hosts == null ? List.of() : hosts.missing()), json);
    json.name("hosts").beginArray();
    writeHosts(hosts, row -> GSON.toJson(row, json));
    json.endArray();
    json.endObject();
    json.flush();
    out.write('\n');
  }

  private List<Path> csv(Path folder) throws IOException {
    Files.createDirectories(folder);
    return List.of(
        write(
            folder.resolve("seconds.csv"),
            out -> seconds(new CsvFile(out, SecondRows.COLUMNS)::row)),
        write(
            folder.resolve("hosts.csv"),
            out -> writeHosts(run.bundle().hosts(), new CsvFile(out, HOST_COLUMNS)::row)),
        write(folder.resolve("summary.csv"), this::summary));
  }

  private void summary(Writer out) throws IOException {
    CsvFile csv = new CsvFile(out, List.of("key", "value"));
    Map<String, JsonElement> flat = new LinkedHashMap<>();
    flatten("", run.summary(), flat);
    for (Map.Entry<String, JsonElement> one : flat.entrySet()) {
      csv.line(List.of(one.getKey(), CsvFile.text(one.getValue())));
    }
  }

  /** A document as keys and values, {@code steps.0.name}; empty objects and lists are left out. */
  private static void flatten(String path, JsonElement value, Map<String, JsonElement> to) {
    String prefix = path.isEmpty() ? "" : path + ".";
    if (value.isJsonObject()) {
      value.getAsJsonObject().asMap().forEach((key, one) -> flatten(prefix + key, one, to));
    } else if (value.isJsonArray()) {
      for (int i = 0; i < value.getAsJsonArray().size(); i++) {
        flatten(prefix + i, value.getAsJsonArray().get(i), to);
      }
    } else {
      to.put(path, value);
    }
  }

  private void seconds(SecondRows.Sink sink) throws IOException {
    SecondRows rows = new SecondRows(run.bundle());
    rows.writeTo(sink);
    problems.addAll(rows.problems());
  }

  /** A table as RFC 4180 has it: a line of names, lines end with CR LF, null values are empty. */
  private static final class CsvFile {
    private final Writer out;
    private final List<String> columns;

    /** Writes the line of names. */
    CsvFile(Writer out, List<String> columns) throws IOException {
      this.out = out;
      this.columns = columns;
      line(columns);
    }

    void row(JsonObject row) throws IOException {
      line(columns.stream().map(column -> text(row.get(column))).toList());
    }

    void line(List<String> cells) throws IOException {
      out.write(cells.stream().map(CsvFile::quoted).collect(Collectors.joining(",", "", "\r\n")));
    }

    /** An object as {@code key=value} with semicolons between. */
    static String text(JsonElement value) {
      if (value == null || value.isJsonNull()) {
        return "";
      }
      if (value.isJsonObject()) {
        return value.getAsJsonObject().entrySet().stream()
            .map((Map.Entry<String, JsonElement> one) -> one.getKey() + "=" + text(one.getValue()))
            .collect(Collectors.joining(";"));
      }
      return value.isJsonArray() ? value.toString() : value.getAsString();
    }

    private static String quoted(String text) {
      boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
      return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
  }

  private static List<String> hostColumns() {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("host", "role", "server", "cores", "from_seconds", "to_seconds"));
    for (Figure figure : Figure.values()) {
      all.add(figure.key());
    }
    return all;
  }

  /**
   * What the machines did, as rows: one for each machine and interval.
   *
   * <p>No row without hosts.json.
   */
  private static void writeHosts(HostMetrics metrics, SecondRows.Sink sink) throws IOException {
    for (HostSeries host : metrics == null ? List.<HostSeries>of() : metrics.hosts()) {
      int intervals = host.values().values().stream().mapToInt(all -> all.length).max().orElse(0);
      for (int i = 0; i < intervals; i++) {
        JsonObject row = new JsonObject();
        row.addProperty("host", host.host());
        row.addProperty("role", host.role());
        row.addProperty("server", host.server());
        row.add("cores", Json.orNull(host.cores() == 0 ? null : Long.valueOf(host.cores())));
        row.addProperty("from_seconds", i * metrics.stepSeconds());
        row.addProperty("to_seconds", (i + 1) * metrics.stepSeconds());
        for (Figure figure : Figure.values()) {
          row.add(figure.key(), Json.finite(host.at(figure, i)));
        }
        sink.row(row);
      }
    }
  }

  /**
   * Series as OpenMetrics text with timestamps, as promtool reads it: a family's samples together,
   * a series' samples in order of time.
   */
  record OpenMetrics(Writer out) implements RunSeries.Sink {
    private static final String TOTAL = "_total";

    static void write(RunSeries series, Writer out) throws IOException {
      series.writeTo(new OpenMetrics(out));
      out.write("# EOF\n");
    }

    /** A counter is named without the suffix of its samples. */
    @Override
    public void family(Family family) throws IOException {
      String name = family.name();
      boolean counter = family.type().equals("counter") && name.endsWith(TOTAL);
      String metric = counter ? name.substring(0, name.length() - TOTAL.length()) : name;
      out.write("# TYPE " + metric + " " + family.type() + "\n");
      out.write("# HELP " + metric + " " + escaped(family.help()) + "\n");
    }

    @Override
    public void series(Points points) throws IOException {
      StringBuilder head = new StringBuilder(points.name()).append('{');
      String separator = "";
      for (Map.Entry<String, String> label : points.labels().entrySet()) {
        head.append(separator).append(label.getKey()).append("=\"");
        head.append(escaped(label.getValue())).append('"');
        separator = ",";
      }
      String start = head.append("} ").toString();
      for (int i = 0; i < points.values().length; i++) {
        if (!Double.isNaN(points.values()[i])) {
          out.write(start);
          out.write(Points.text(points.values()[i]));
          out.write(' ');
          out.write(seconds(points.epochMillis()[i]));
          out.write('\n');
        }
      }
    }

    private static String seconds(long epochMillis) {
      String millis = Long.toString(1000 + Math.floorMod(epochMillis, 1000)).substring(1);
      return Math.floorDiv(epochMillis, 1000) + "." + millis;
    }

    private static String escaped(String value) {
      return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
  }

  /** A bundle of a run that was judged. */
  record FinishedRun(Bundle bundle, JsonObject summary) {
    /**
     * Reads it.
     *
     * @throws ConfigException the run has no readable summary, or recorded nothing
     */
    static FinishedRun read(Path directory) throws IOException {
      Path file = new BundleLayout(directory).summary();
      String name = String.valueOf(directory.getFileName());
      if (!Files.isRegularFile(file)) {
        throw new ConfigException(
            "",
            name
                + " has no summary.json: the run is still running or was cut off; \"shardload"
                + " report "
                + name
                + "\" writes it");
      }
      JsonObject summary = LedgerFile.parse(Files.readString(file));
      if (summary == null) {
        throw new ConfigException(
            "",
            name + ": summary.json cannot be read; \"shardload report " + name + "\" rewrites it");
      }
      FinishedRun run = new FinishedRun(BundleReader.read(directory), summary);
      if (RunTimes.of(run.bundle).startMillis() == 0) {
        throw new ConfigException(
            "", name + " contains no measurement: its generators recorded nothing");
      }
      return run;
    }

    String id() {
      return Json.text(Json.object(bundle.run(), "run"), "id", "none");
    }
  }
}
