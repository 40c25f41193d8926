package io.shardload.history;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A folder of runs as they are kept: small files only. */
final class ExampleHistory {
  /** What a test changes of a run before it is written. */
  static final class Kept {
    final JsonObject run =
        BundleFixture.parse(
            "{'run':{'profile':'steady'},'target':{'name':'citus'},'workload':{'seed':1},"
                + "'load':{'model':'open','workers':8,'generators':1}}");
    final JsonObject environment =
        BundleFixture.parse("{'rows_at_start':1000,'server':{'name':'S','version':'16.1'}}");
    final JsonObject summary =
        BundleFixture.parse(
            "{'target':'citus','workload':'document-store','profile':'steady','capacity':null,"
                + "'verdict':{'code':0,'name':'ok','reasons':[]},"
                + "'headline':{'step':null,'achieved_per_second':500,'latency_ns':{'p99':20000000}}}");
    JsonObject build;

    Kept rps(double value) {
      Json.object(summary, "headline").addProperty("achieved_per_second", value);
      return this;
    }

    Kept p99Millis(double value) {
      Json.object(summary, "headline", "latency_ns").addProperty("p99", value * 1e6);
      return this;
    }

    Kept verdict(int code, String name, String reason) {
      JsonObject verdict = Json.object(summary, "verdict");
      verdict.addProperty("code", code);
      verdict.addProperty("name", name);
      verdict.add("reasons", Json.strings(List.of(reason)));
      return this;
    }

    /** Of a run with steps: p99 and RPS are those of the step. */
    Kept capacity(String step, double rate, boolean atLeast) {
      JsonObject capacity = new JsonObject();
      capacity.addProperty("offered_per_second", rate);
      capacity.addProperty("step", step);
      capacity.addProperty("at_least", atLeast);
      summary.add("capacity", capacity);
      Json.object(summary, "headline").addProperty("step", step);
      return rps(rate);
    }

    Kept build(int number) {
      build = new JsonObject();
      build.addProperty("system", "jenkins");
      build.addProperty("number", String.valueOf(number));
      build.addProperty("url", "https://ci.example/job/shardload/job/citus/" + number + "/");
      return this;
    }

    Kept series(String name) {
      Json.object(run, "run").addProperty("series", name + "/2");
      return this;
    }
  }

  final Path directory;
  private final SplittableRandom random = new SplittableRandom(7);
  private int runs;

  ExampleHistory(Path directory) {
    this.directory = directory;
  }

  /** One run, a day after the one before it; its name is {@code run-NN}. */
  Path add(Consumer<Kept> change) throws IOException {
    runs++;
    Kept kept = new Kept();
    Path folder = Files.createDirectories(directory.resolve("run-%02d".formatted(runs)));
    kept.summary.addProperty(
        "started", Instant.parse("2026-09-01T02:00:00Z").plusSeconds(86_400L * runs).toString());
    change.accept(kept);
    write(folder, "run", kept.run);
    write(folder, "environment", kept.environment);
    write(folder, "summary", kept.summary);
    if (kept.build != null) {
      write(folder, "build", kept.build);
    }
    return folder;
  }

  /** As many alike runs that vary by a share. */
  ExampleHistory alike(int number, double noise) throws IOException {
    for (int i = 0; i < number; i++) {
      add(one -> one.rps(varied(500, noise)).p99Millis(varied(20, noise)));
    }
    return this;
  }

  double varied(double value, double noise) {
    return value * Math.exp(noise * random.nextGaussian());
  }

  private static void write(Path folder, String name, JsonObject json) throws IOException {
    Files.writeString(folder.resolve(name + ".json"), json.toString());
  }

  JsonObject request() {
    JsonObject request = new JsonObject();
    request.addProperty("directory", directory.toString());
    request.addProperty("percent", 10);
    return request;
  }

  /** The reply of the verb to {@link #request}. */
  JsonObject judged() throws IOException {
    return HistoryVerb.run(request());
  }
}
