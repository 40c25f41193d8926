package io.shardload.results;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The bundle of a run of 500 inserts per second over 40 s, of which 5 s are warm-up. Its server is
 * killed at 15 s and started again at 20 s. Nothing is answered from 15.02 to 20.33 s; then three
 * seconds pass until no arrival waits any more, and three windows of 1,000 calls until the p99 is
 * back.
 */
public final class KilledServer {
  public static final long MILLIS = 1_000_000;
  public static final int SECONDS = 40;

  private final BundleFixture bundle;
  public final BundleFixture.Generator generator;

  public KilledServer(BundleFixture bundle) {
    this(bundle, 0);
    bundle.run.add("mix", BundleFixture.parse("{'insert':100}"));
    bundle.segment("warm-up", "warm-up", 5, 500).segment("hold", "hold", SECONDS - 5, 500);
  }

  /** What a generator of it counts, on a load host. */
  KilledServer(BundleFixture bundle, int number) {
    this.bundle = bundle;
    generator = bundle.generator(number);
  }

  /** All seconds of the load; the p99 of the two after the backlog is 7 ms instead of 4 ms. */
  public static KilledServer fill(BundleFixture bundle) throws IOException {
    KilledServer run = new KilledServer(bundle);
    for (int second = 0; second < SECONDS; second++) {
      if (second < 15 || second > 25) {
        run.calm(second);
      }
    }
    run.generator.backlog = new long[SECONDS];
    run.outage();
    for (int second : new int[] {24, 25}) {
      run.answered(second, 490, 2).answered(second, 10, 7);
    }
    run.planned("kill-1", "kill", 10);
    run.events("kill-1", 15_000, 15_010, 15_050, 20_020, 20_000, 20_400);
    return run;
  }

  /** A second as before the fault: its p99 is 4 ms. */
  public KilledServer calm(int second) {
    return answered(second, 490, 2).answered(second, 10, 4);
  }

  private void outage() {
    answered(15, 5, 2).failed(15, 12, 3);
    long[] answered = {0, 0, 0, 0, 480, 1500, 1500, 1000};
    long[] millis = {0, 0, 0, 0, 5000, 4000, 2000, 100};
    long[] backlog = {480, 980, 1480, 1980, 2480, 2500, 1500, 500, 0};
    System.arraycopy(backlog, 0, generator.backlog, 15, backlog.length);
    for (int i = 0; i < answered.length; i++) {
      answered(16 + i, answered[i], millis[i]);
    }
    for (int second = 15; second < 24; second++) {
      more(second, "'due':{'hold':500}");
    }
    more(15, "'error_bursts':[[15030000000,15040000000,15]]");
    more(20, "'silences':[[15020000000,20330000000]]");
  }

  public KilledServer answered(int second, long n, long responseMillis) {
    if (n > 0) {
      String segment = second < 5 ? "warm-up" : "hold";
      generator.done(second, segment, "insert", n);
      generator.latency(second, segment, "insert", "response", responseMillis * MILLIS, n);
    }
    return this;
  }

  /** Calls that were begun and not answered. */
  public KilledServer failed(int second, long failed, long unknown) {
    generator.scheduled("hold", "insert", failed + unknown);
    generator.count(second, "hold", "insert", "started", failed + unknown);
    generator.count(second, "hold", "insert", "failed", failed);
    generator.count(second, "hold", "insert", "unknown", unknown);
    generator.error(second, "hold", "insert", "57P01", failed);
    generator.error(second, "hold", "insert", "connection-lost", unknown);
    return this;
  }

  /** Fields of the ledger line of a second. */
  public void more(int second, String fields) {
    JsonObject line = generator.more.computeIfAbsent(second, key -> new JsonObject());
    BundleFixture.parse("{" + fields + "}").asMap().forEach(line::add);
  }

  /** A fault of the configuration. */
  public void planned(String name, String fault, double atSeconds) {
    if (!bundle.run.has("faults")) {
      bundle.run.add("faults", BundleFixture.list(""));
    }
    bundle
        .run
        .getAsJsonArray("faults")
        .add(
            BundleFixture.parse(
                "{'name':'%s','fault':'%s','at_seconds':%s,'duration_seconds':5}"
                    .formatted(name, fault, atSeconds)));
  }

  /** What happened, in milliseconds since the start of the load; negative is never. */
  public void events(
      String fault, long begin, long begun, long noAnswer, long answers, long end, long ended)
      throws IOException {
    event(fault, Kind.BEGIN, begin, "");
    event(fault, Kind.BEGUN, begun, "");
    event(fault, Kind.NO_ANSWER, noAnswer, "");
    event(fault, Kind.END, end, "");
    event(fault, Kind.ANSWERS, answers, "");
    event(fault, Kind.ENDED, ended, "");
  }

  public void event(String fault, Kind kind, long millis, String text) throws IOException {
    if (millis < 0) {
      return;
    }
    long epochMillis = bundle.startEpochMillis + millis;
    try (Writer out =
        Files.newBufferedWriter(events(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      FaultsFile.append(new FaultsFile.Event(kind, fault, epochMillis, millis * MILLIS, text), out);
    }
  }

  /** faults.jsonl. */
  public Path events() {
    return new BundleLayout(bundle.directory).faults();
  }
}
