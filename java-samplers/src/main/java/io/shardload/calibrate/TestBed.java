package io.shardload.calibrate;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
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

  /** The transaction for measurements without a server. */
  static final String POINT_READ = "find-by-id-and-filter1";

  /** A configuration for rounds of one transaction on the target itself. */
  JsonObject onTarget(String transaction) {
    JsonObject config = json.deepCopy();
    config.getAsJsonObject("run").addProperty("directory", bundle().toString());
    JsonObject mix = new JsonObject();
    mix.addProperty(transaction, 100);
    config.add("mix", mix);
    return config;
  }

  /** A configuration for rounds without a server. */
  JsonObject onNoop(String serviceTime) {
    JsonObject config = onTarget(POINT_READ);
    // The same whatever the workload is, and without values that only a server has.
    config.add(
        "workload",
        JsonParser.parseString("{'name':'document-store','data':{'documents':100000}}"));
    config.add(
        "target",
        JsonParser.parseString(
            "{'name':'noop','driver':'noop','options':{'service-time':'%s'}}"
                .formatted(serviceTime)));
    // The schema options of the real target have no meaning here and would be refused.
    config.remove("schema");
    return config;
  }

  /** Makes it a closed model with this many workers. */
  static void closed(JsonObject config, int workers, int seconds) {
    String load =
        """
        {'model':'closed','workers':%1$d,'samples':'slice','segments':[
          {'name':'hold','kind':'hold','seconds':%2$s,'from_workers':%1$d,'to_workers':%1$d}]}
        """
            .formatted(workers, Measured.roundSeconds(seconds));
    config.add("load", JsonParser.parseString(load));
  }

  /** Makes it an open model with a warm-up of two seconds. */
  static void open(JsonObject config, int workers, int rate, int seconds) {
    String load =
        """
        {'model':'open','workers':%1$d,'samples':'slice','segments':[
          {'name':'warm-up','kind':'warm-up','seconds':2,'from_rate':%2$d,'to_rate':%2$d},
          {'name':'hold','kind':'hold','seconds':%3$d,'from_rate':%2$d,'to_rate':%2$d}]}
        """
            .formatted(workers, rate, seconds);
    config.add("load", JsonParser.parseString(load));
  }

  /** The bundle of a round. */
  Path bundle() {
    return directory.resolve("round");
  }

  /** Removes the last round's bundle. */
  void clean() {
    if (!Files.exists(bundle())) {
      return;
    }
    try (Stream<Path> files = Files.walk(bundle())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
