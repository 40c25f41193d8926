package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
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

  /** So many that single runs get an interval. */
  static final int SECONDS = 30;

  private final Path directory;
  private final int seconds;
  private final SplittableRandom random;
  private int runs;
  private String lacks = "";

  /** By how much the times of the second half of a run are longer. */
  double later = 1;

  ExampleComparison(Path directory, long seed, int seconds) {
    this.directory = directory;
    this.seconds = seconds;
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
    bundle.segment("hold", "hold", seconds, 300);
    bundle.environment.add("server", server());
    bundle.environment.add("client", BundleFixture.parse("{'fetch':0}"));
    bundle.environment.addProperty("rows_at_start", 100_000);
    double factor = millis * 1e6 * Math.exp(noise * random.nextGaussian());
    for (int second = 0; second < seconds; second++) {
      for (String name : TRANSACTIONS.stream().filter(one -> !one.equals(lacks)).toList()) {
        fill(bundle.generator(0), second, name, 2 * second < seconds ? factor : later * factor);
      }
    }
    change.apply(bundle);
    return bundle.write();
  }

  /** A single server on a machine of its own. */
  private static JsonObject server() {
    return BundleFixture.parse(
        "{'name':'S','durability':'fsync=on','topology':{'shards':1,'members':1,'routers':0},"
            + "'machines':[{'host':'h1','holds_documents':true,'cpu':'X','cpus':2,"
            + "'ram_bytes':17179869184}]}");
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

  /** Ten runs ABBA BAAB AB; the sides' true service times in milliseconds. */
  List<Path> ten(double base, double side, double noise) throws IOException {
    return rounds("ABBABAABAB", base, side, noise, bundle -> {});
  }

  /** Runs in the order of the letters; {@code change} alters those of B. */
  List<Path> rounds(String order, double base, double side, double noise, Change change)
      throws IOException {
    List<Path> bundles = new ArrayList<>();
    for (String one : order.chars().mapToObj(Character::toString).toList()) {
      boolean isBase = one.equals("A");
      bundles.add(run("t", isBase ? base : side, noise, isBase ? bundle -> {} : change));
    }
    return bundles;
  }

  /** The request of the verb for a series of two sides in the order ABBA BAAB. */
  static JsonObject series(Path into, List<Path> bundles) {
    JsonObject request = request(into, bundles);
    request.add("sides", sides("A", "B"));
    String order = "ABBABAABABBABAAB";
    for (int i = 0; i < bundles.size(); i++) {
      JsonObject run = request.getAsJsonArray("runs").get(i).getAsJsonObject();
      run.addProperty("side", order.substring(i, i + 1));
      run.addProperty("round", i / 2 + 1);
    }
    return request;
  }

  static JsonArray sides(String... labels) {
    JsonArray sides = new JsonArray();
    for (String label : labels) {
      JsonObject side = new JsonObject();
      side.addProperty("label", label);
      side.addProperty("name", "side " + label);
      sides.add(side);
    }
    return sides;
  }

  /**
   * A matrix of six that was interrupted: B takes twenty times as long, C is invalid, D left no
   * bundle and E and F never began.
   */
  static JsonObject interrupted(Path into) throws IOException {
    ExampleComparison runs = new ExampleComparison(into.resolve("runs"), 6, SECONDS);
    List<Path> bundles = new ArrayList<>();
    for (String index : List.of("hash", "btree", "none")) {
      Change change = b -> b.run.add("schema", BundleFixture.parse("{'index':'" + index + "'}"));
      bundles.add(runs.run("t", index.equals("btree") ? 40 : 2, 0.02, change));
    }
    Files.delete(bundles.get(2).resolve("latencies").resolve("generator-0.jsonl"));
    JsonObject request = request(into, bundles);
    JsonObject dead = new JsonObject();
    dead.addProperty("exit", 2);
    JsonArray begun = request.getAsJsonArray("runs");
    begun.add(dead);
    for (int i = 0; i < begun.size(); i++) {
      begun.get(i).getAsJsonObject().addProperty("side", Sides.Side.label(i));
      begun.get(i).getAsJsonObject().addProperty("round", 1);
    }
    request.add("sides", sides("A", "B", "C", "D", "E", "F"));
    request.add("varied", Json.strings(List.of("schema.index")));
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
    return BundleFixture.read(directory.resolve("compare.json"));
  }

  /** What the console says of a comparison. */
  static List<String> lines(JsonObject request) throws IOException {
    return BundleFixture.texts(CompareVerb.run(request), "lines");
  }

  /** What it says loudly, without the mark. */
  static List<String> loud(JsonObject request) throws IOException {
    String mark = "NOT COMPARABLE  ";
    return lines(request).stream()
        .filter(line -> line.startsWith(mark))
        .map(line -> line.substring(mark.length()))
        .toList();
  }

  /** Six rounds, in which over half of the arrivals of B waited for 18.3 s and were dropped. */
  static JsonObject overloaded(Path into) throws IOException {
    ExampleComparison runs = new ExampleComparison(into.resolve("runs"), 5, 2);
    Change dropped =
        bundle -> {
          for (String name : TRANSACTIONS) {
            bundle.generator(0).dropped(1, "hold", name, 18_300_000_000L, 300);
          }
        };
    return series(into, runs.rounds("ABBABAABABBA", 2, 2, 0.02, dropped));
  }

  /** Single runs on four targets with long names, all unlike; the last never did an update. */
  static List<Path> four(Path into) throws IOException {
    ExampleComparison four = new ExampleComparison(into, 4, SECONDS);
    List<String> names =
        List.of(
            "citus-coordinator-and-two-workers-behind-pgbouncer",
            "mongodb-sharded-two-routers-six-data-nodes",
            "ferretdb",
            "noop");
    List<Path> bundles = new ArrayList<>();
    for (String name : names) {
      four.lacks = name.equals("noop") ? "update" : "";
      bundles.add(four.run(name, 1.0 + name.length() / 20.0, 0.05, of(name)));
    }
    return bundles;
  }

  private static Change of(String name) {
    return bundle -> {
      JsonObject server = bundle.environment.getAsJsonObject("server");
      server.addProperty("durability", "of " + name);
      bundle.run.getAsJsonObject("target").addProperty("driver", name.substring(0, 4));
    };
  }
}
