package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.results.RecordedRun;
import java.io.IOException;
import java.nio.file.Path;

/** A run of three seconds, one of them warm-up, as its bundle. */
final class SmallRun {
  private static final long MILLIS = 1_000_000;

  private SmallRun() {}

  /** One generator; its last interval is the first with a refused call. */
  static BundleFixture fixture(Path directory) {
    BundleFixture run = new BundleFixture(directory);
    run.environment.addProperty("shardload_version", "0.1.0");
    run.segment("warm-up", "warm-up", 1, 2).segment("hold", "hold", 2, 4);
    BundleFixture.Generator generator = run.generator(0);
    generator.gcNanosPerSecond = 5 * MILLIS;
    answered(generator, 0, "warm-up", 2);
    answered(generator, 1, "hold", 4);
    answered(generator, 2, "hold", 2);
    generator.own(1, "hold", "hiccup", 3 * MILLIS, 2);
    generator.scheduled("hold", "update", 1);
    generator.count(2, "hold", "update", "started", 1).count(2, "hold", "update", "failed", 1);
    generator.error(2, "hold", "update", "refused", 1);
    generator.latency(2, "hold", "update", "failed", 7 * MILLIS, 1);
    generator.dropped(2, "hold", "update", 9 * MILLIS, 1);
    return run;
  }

  /** Calls of 1 ms that waited as long; the longest took 2 ms more. */
  static void answered(BundleFixture.Generator generator, int second, String segment, int n) {
    generator.done(second, segment, "update", n);
    for (String series : new String[] {"service", "search", "wait"}) {
      generator.latency(second, segment, "update", series, MILLIS, n);
    }
    generator.latency(second, segment, "update", "response", 2 * MILLIS, n - 1);
    generator.latency(second, segment, "update", "response", 4 * MILLIS, 1);
  }

  /** Writes the bundle with its summary. */
  static Path write(BundleFixture run) throws IOException {
    Path directory = run.write();
    JsonObject summary = RecordedRun.read(directory).summary();
    WholeFile.writeJson(new BundleLayout(directory).summary(), summary);
    return directory;
  }
}
