package io.shardload.capacity;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A search as the controller writes it, of a target whose p99 grows as that of a queue that gets
 * full at 1180/s. Its runs have no bundles.
 */
final class ExampleSearch {
  private static final double KNEE = 1180;

  /** The rates of a search that starts at 200/s, with repeats that flap at 1180/s. */
  private static final double[] RATES = {
    200, 400, 800, 1600, 1130, 1340, 1230, 1180, 1180, 1130, 1130, 1130, 1130, 1080, 1080, 1080,
    1080, 1080, 1240, 1240, 1240, 1240, 1240
  };

  final JsonObject json =
      BundleFixture.parse(
          "{'id':'20261123-060000-citus-find-capacity','state':'complete','ended':'found',"
              + "'written':'2026-11-23T06:20:00+00:00','target':'citus','workload':'document-store',"
              + "'profile':'find-capacity','tags':{'build':'7','team':'a'},'limits':{'errors_percent':1.0,'p99_ms':50.0},"
              + "'text':'capacity between 1080/s and 1240/s',"
              + "'settings':{'start_rate':200,'precision_percent':5,'repeats':3,'max_seconds':3600,"
              + "'max_rate':null,'min_rate':1},"
              + "'low':{'rate':1080,'confirmed':true,'good':5,'bad':0},"
              + "'high':{'rate':1240,'confirmed':true,'good':0,'bad':5},'runs':[]}");

  static ExampleSearch found() {
    ExampleSearch search = new ExampleSearch();
    for (int i = 0; i < RATES.length; i++) {
      // Two runs of the same rate are not the same.
      search.add(RATES[i], KNEE * (1 + 0.03 * Math.sin(3.7 * i)));
    }
    return search;
  }

  /** Nothing failed until the generator could offer no more. */
  static ExampleSearch bound() {
    ExampleSearch search = new ExampleSearch();
    for (double rate : new double[] {200, 400, 800, 800, 800, 800}) {
      search.add(rate, 1e6);
    }
    JsonObject bound = search.add(1600, 1e6);
    bound.addProperty("outcome", "generator-bound");
    bound.addProperty("exit", 5);
    search.json.addProperty("ended", "generator-bound");
    search.json.addProperty("text", "capacity at least 800/s: the generator was the bound");
    search.json.add("low", BundleFixture.parse("{'rate':800,'confirmed':true,'good':4,'bad':0}"));
    search.json.add("high", null);
    return search;
  }

  JsonArray runs() {
    return json.getAsJsonArray("runs");
  }

  JsonObject add(double rate, double knee) {
    boolean good = rate <= knee;
    double use = Math.min(rate / knee, 0.985);
    double p99 = good ? 4e6 / (1 - use) * 0.6 : 6e7 * Math.pow(rate / knee, 9);
    JsonObject run = new JsonObject();
    run.addProperty("number", runs().size() + 1);
    run.addProperty("rate", rate);
    run.addProperty("why", runs().isEmpty() ? "the start rate" : "between a good and a bad rate");
    run.addProperty("outcome", good ? "good" : "bad");
    run.addProperty("exit", good ? 0 : 3);
    run.addProperty("bundle", "20261123-0600%02d-citus-find-capacity".formatted(runs().size()));
    run.addProperty("seconds", 41.5);
    run.addProperty("offered_per_second", rate);
    run.addProperty("achieved_per_second", good ? rate : Math.min(rate, knee) * 0.97);
    run.addProperty("answered_per_second", Math.min(rate, knee));
    run.addProperty("p50_ns", Math.round(p99 / 4));
    run.addProperty("p99_ns", Math.round(p99));
    run.add("p99_at_least_ns", null);
    run.addProperty("errors_percent", good ? 0 : 0.4);
    JsonArray reasons = new JsonArray();
    if (!good) {
      reasons.add("p99 %.1f ms, over 50 ms".formatted(p99 / 1e6));
    }
    run.add("reasons", reasons);
    runs().add(run);
    return run;
  }

  /** Writes it to a folder of its own among the bundles, and returns the request for its page. */
  JsonObject request(Path runs) throws IOException {
    Path directory = Files.createDirectories(runs.resolve("search"));
    Files.writeString(directory.resolve("search.json"), json.toString());
    JsonObject request = new JsonObject();
    request.addProperty("directory", directory.toString());
    return request;
  }

  static List<String> lines(JsonObject reply) {
    return BundleFixture.texts(reply, "lines");
  }
}
