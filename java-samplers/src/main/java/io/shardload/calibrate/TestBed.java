package io.shardload.calibrate;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.workload.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The environment of a calibration.
 *
 * @param json the effective configuration, from which the configurations of the rounds are derived
 * @param base the same configuration, parsed
 * @param target opened by the controller's child
 * @param directory of the result
 */
record TestBed(
    JsonObject json,
    RunConfig base,
    Target target,
    Path jmeterHome,
    Path directory,
    int rounds,
    Progress progress) {

  /** The transaction for all measurements. */
  static final String POINT_READ = "find-by-id-and-filter1";

  private static final String BUNDLE = "round";

  /** A configuration for rounds on the target itself. */
  JsonObject onTarget() {
    return onlyPointReads(json.deepCopy());
  }

  /** A configuration for rounds without a server. */
  JsonObject onNoop(String serviceTime) {
    JsonObject config = onlyPointReads(json.deepCopy());
    JsonObject options = new JsonObject();
    options.addProperty("service-time", serviceTime);
    JsonObject noop = new JsonObject();
    noop.addProperty("name", "noop");
    noop.addProperty("driver", "noop");
    noop.add("options", options);
    config.add("target", noop);
    // The schema options of the real target have no meaning here and would be refused.
    config.remove("schema");
    return config;
  }

  private static JsonObject onlyPointReads(JsonObject config) {
    JsonObject mix = new JsonObject();
    mix.addProperty(POINT_READ, 100);
    config.add("mix", mix);
    return config;
  }

  /** Makes it a closed model with this many workers. */
  static JsonObject closed(JsonObject config, int workers, Span span) {
    JsonObject hold = segment("hold", span.totalSeconds());
    hold.addProperty("from_workers", workers);
    hold.addProperty("to_workers", workers);
    return load(config, "closed", workers, hold);
  }

  /** Makes it an open model with a warm-up of two seconds. */
  static JsonObject open(JsonObject config, int workers, double rate, double seconds) {
    JsonObject warmUp = segment("warm-up", 2);
    JsonObject hold = segment("hold", seconds);
    for (JsonObject segment : new JsonObject[] {warmUp, hold}) {
      segment.addProperty("from_rate", rate);
      segment.addProperty("to_rate", rate);
    }
    return load(config, "open", workers, warmUp, hold);
  }

  private static JsonObject segment(String name, double seconds) {
    JsonObject segment = new JsonObject();
    segment.addProperty("name", name);
    segment.addProperty("kind", name);
    segment.addProperty("seconds", seconds);
    return segment;
  }

  private static JsonObject load(
      JsonObject config, String model, int workers, JsonObject... segments) {
    JsonArray all = new JsonArray();
    for (JsonObject segment : segments) {
      all.add(segment);
    }
    JsonObject load = new JsonObject();
    load.addProperty("model", model);
    load.addProperty("workers", workers);
    load.addProperty("samples", "slice");
    load.add("segments", all);
    config.add("load", load);
    return config;
  }

  /** A new folder for the bundle of one round, written into its configuration. */
  Path freshBundle(JsonObject config) {
    clean();
    Path bundle = directory.resolve(BUNDLE);
    config.getAsJsonObject("run").addProperty("directory", bundle.toString());
    return bundle;
  }

  /** Removes the last round's bundle. */
  void clean() {
    remove(directory.resolve(BUNDLE));
  }

  private static void remove(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
