package io.shardload.timeseries;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
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

/** A bundle as files for other tools; docs/export.md describes them. */
public final class Export {
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
    HostRows.writeTo(hosts, row -> GSON.toJson(row, json));
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
            out -> HostRows.writeTo(run.bundle().hosts(), new CsvFile(out, HostRows.COLUMNS)::row)),
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
}
