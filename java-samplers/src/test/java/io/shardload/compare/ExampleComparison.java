package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.report.BundleFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Recorded bundles with known service times: each run's times are the side's, times a noise of its
 * own, times a drift. Seeded.
 */
final class ExampleComparison {
  static final List<String> TRANSACTIONS =
      List.of("insert", "update", "find-by-id-and-filter4-and-filter5-list");
  static final int SECONDS = 40;

  private final Path directory;
  private final SplittableRandom random;
  private int runs;

  ExampleComparison(Path directory, long seed) {
    this.directory = directory;
    this.random = new SplittableRandom(seed);
  }

  /**
   * One bundle that began after those before it; {@code change} may alter it before it is written.
   */
  Path run(String target, double millis, double noise, Change change) throws IOException {
    runs++;
    BundleFixture bundle = new BundleFixture(directory.resolve("run-" + runs));
    bundle.startEpochMillis = BundleFixture.START_EPOCH_MILLIS + runs * 100_000L;
    bundle.run.getAsJsonObject("run").addProperty("id", "run-" + runs);
    bundle.run.getAsJsonObject("target").addProperty("name", target);
    JsonObject mix = new JsonObject();
    TRANSACTIONS.forEach(name -> mix.addProperty(name, 100.0 / TRANSACTIONS.size()));
    bundle.run.add("mix", mix);
    bundle.segment("hold", "hold", SECONDS, 300);
    bundle.environment.add("server", BundleFixture.parse("{'name':'S','durability':'fsync=on'}"));
    bundle.environment.addProperty("rows_at_start", 100_000);
    double factor = millis * 1e6 * Math.exp(noise * random.nextGaussian());
    for (int second = 0; second < SECONDS; second++) {
      for (String name : TRANSACTIONS) {
        fill(bundle.generator(0), second, name, factor);
      }
    }
    change.apply(bundle);
    return bundle.write();
  }

  Path run(String target, double millis, double noise) throws IOException {
    return run(target, millis, noise, bundle -> {});
  }

  /** Alters a bundle before it is written. */
  interface Change {
    void apply(BundleFixture bundle);
  }

  private void fill(BundleFixture.Generator generator, int second, String name, double nanos) {
    generator.done(second, "hold", name, 100);
    double scale = name.endsWith("-list") ? 2 : 1;
    for (int i = 0; i < 20; i++) {
      long service = Math.round(nanos * scale * Math.exp(0.3 * random.nextGaussian()));
      generator.latency(second, "hold", name, "service", service, 5);
      generator.latency(second, "hold", name, "response", service + 50_000, 5);
      generator.latency(second, "hold", name, "search", service * 3 / 4, 5);
      generator.latency(second, "hold", name, "fetch", service / 4, 5);
    }
  }

  /** The request of the verb for a series of two sides in the order ABBA BAAB. */
  static JsonObject series(Path into, List<Path> bundles) {
    JsonObject request = request(into, bundles);
    request.add("sides", new JsonArray());
    for (String label : List.of("A", "B")) {
      JsonObject side = new JsonObject();
      side.addProperty("label", label);
      side.addProperty("name", "side " + label);
      request.getAsJsonArray("sides").add(side);
    }
    String order = "ABBABAABABBABAAB";
    for (int i = 0; i < bundles.size(); i++) {
      JsonObject run = request.getAsJsonArray("runs").get(i).getAsJsonObject();
      run.addProperty("side", order.substring(i, i + 1));
      run.addProperty("round", i / 2 + 1);
    }
    return request;
  }

  static JsonObject request(Path into, List<Path> bundles) {
    JsonObject request = new JsonObject();
    request.addProperty("directory", into.toString());
    JsonArray runs = new JsonArray();
    for (Path bundle : bundles) {
      JsonObject run = new JsonObject();
      run.addProperty("bundle", bundle.toString());
      runs.add(run);
    }
    request.add("runs", runs);
    return request;
  }

  static JsonObject json(Path directory) throws IOException {
    return JsonParser.parseString(Files.readString(directory.resolve("compare.json")))
        .getAsJsonObject();
  }

  /** Writes pages for looking at: two sides repeated, and four with long names. */
  public static void main(String[] arguments) throws IOException {
    Path into = Path.of(arguments[0]);
    ExampleComparison two = new ExampleComparison(into.resolve("two-runs"), 3);
    List<Path> bundles = new ArrayList<>();
    for (char side : "ABBABAABAB".toCharArray()) {
      bundles.add(two.run("t", side == 'A' ? 2.0 : 2.4, 0.02));
    }
    CompareVerb.run(series(into.resolve("two"), bundles))
        .getAsJsonArray("lines")
        .forEach(line -> System.out.println(line.getAsString()));
    ExampleComparison four = new ExampleComparison(into.resolve("four-runs"), 4);
    bundles.clear();
    List<String> names =
        List.of(
            "citus-coordinator-and-two-workers-behind-pgbouncer",
            "mongodb-sharded-two-routers-six-data-nodes",
            "ferretdb",
            "noop");
    for (String name : names) {
      bundles.add(
          four.run(
              name,
              1.0 + name.length() / 20.0,
              0.05,
              bundle -> {
                bundle
                    .environment
                    .getAsJsonObject("server")
                    .addProperty("durability", "of " + name);
                bundle.run.getAsJsonObject("target").addProperty("driver", name.substring(0, 4));
              }));
    }
    CompareVerb.run(request(into.resolve("four"), bundles))
        .getAsJsonArray("lines")
        .forEach(line -> System.out.println(line.getAsString()));
  }
}
