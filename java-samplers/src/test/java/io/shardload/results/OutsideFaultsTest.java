package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The generator and what bounds the load are judged outside of the faults; the run is {@link
 * KilledServer}'s. Of its hold, 5 to 40 s, the seconds from 15 to 26 do not count.
 */
class OutsideFaultsTest extends Finished {
  private static final long MILLI = KilledServer.MILLIS;
  private static final String LATE =
      "generator-bound: in hold %s %% of the arrivals%s began over 1 ms late while a worker was"
          + " ready";

  private BundleFixture.Generator generator;

  @BeforeEach
  void fill() throws IOException {
    Files.createDirectories(directory);
    generator = KilledServer.fill(bundle).generator;
  }

  private static boolean inFault(int second) {
    return second >= 15 && second < 26;
  }

  /** The hiccup meter woke late and four times the cores were used, but only in the fault. */
  @Test
  void whatTheGeneratorDidInAFaultIsNotJudged() throws IOException {
    long cpuNanos = 0;
    for (int second = 0; second < KilledServer.SECONDS; second++) {
      cpuNanos += inFault(second) ? 8_000 * MILLI : 100 * MILLI;
      generator
          .more
          .computeIfAbsent(second, key -> new JsonObject())
          .addProperty("cpu_ns", cpuNanos);
    }
    generator.own(17, "hold", "hiccup", 2_000 * MILLI, 1000);
    expect(0);
  }

  /** 150 of 12,000 arrivals; the p99 outside is 4 ms, that of the whole 5 s. */
  @Test
  void aFaultDoesNotHideTheGeneratorsDelays() throws IOException {
    generator.own(30, "hold", "late", 3 * MILLI, 150);
    expect(5, LATE.formatted("1.3", ""));
  }

  private void secondGenerator() {
    BundleFixture.Generator other = bundle.generator(1);
    for (int second = 0; second < KilledServer.SECONDS; second++) {
      String segment = second < 5 ? "warm-up" : "hold";
      other.done(second, segment, "insert", 500);
      other.latency(second, segment, "insert", "response", 2 * MILLI, 500);
    }
  }

  private List<String> reasons() throws IOException {
    return BundleFixture.texts(Json.object(summary(), "verdict"), "reasons");
  }

  /** 150 of 13,000: with the other one the load is back after 9 s. */
  @Test
  void eachOfSeveralGeneratorsIsJudgedOutsideOfTheFaults() throws IOException {
    bundle.load().addProperty("generators", 2);
    secondGenerator();
    generator.own(30, "hold", "late", 3 * MILLI, 150);
    assertThat(reasons()).contains(LATE.formatted("1.2", " of generator 0"));
  }

  /** It sends one histogram of each segment: 150 of all 17,515 arrivals are late. */
  @Test
  void aLoadHostIsJudgedAsAWhole() throws IOException {
    bundle.hosts("a", "b");
    secondGenerator();
    generator.own(30, "hold", "late", 600 * MILLI, 150);
    assertThat(reasons()).isEmpty();
  }

  /** Calls outside take 2 ms, the 5,485 of the fault a second; the machine is full then, too. */
  private JsonObject bottleneck(int workers, double cpu, String sessions) throws IOException {
    double[] used = new double[KilledServer.SECONDS];
    StringBuilder lines = new StringBuilder();
    generator.latency(16, "hold", "insert", "service", 1000 * MILLI, 7);
    for (int second = 5; second < KilledServer.SECONDS; second++) {
      boolean fault = inFault(second);
      used[second] = fault ? 1 : cpu;
      long nanos = (fault ? 1000 : 2) * MILLI;
      generator.latency(second, "hold", "insert", "service", nanos, fault ? 498 : 500);
      lines.append(
          BundleFixture.parse(
              ("{'epoch_ms':%d,'servers':{'db1:5432':{'role':'primary','sessions':{%s},"
                      + "'round_trip_seconds':%s}},'refused':{}}")
                  .formatted(
                      BundleFixture.START_EPOCH_MILLIS + 1000L * second + 500,
                      fault ? "'flush':{'WalSync':9}" : sessions,
                      fault ? 2.5 : 0.0001)));
      lines.append('\n');
    }
    generator.workers = workers;
    generator.busyNanos = BundleFixture.parse("{'hold':%d}".formatted(34_000 * MILLI * workers));
    Map<Figure, double[]> figures = Map.of(Figure.CPU, used);
    List<HostSeries> machines = List.of(new HostSeries("db1", "shard", true, 4, figures));
    bundle.hostMetrics = new HostMetrics(HostMetrics.STORE, "", 1, machines, List.of());
    bundle.write();
    Files.writeString(bundle.directory.resolve("sessions.jsonl"), lines);
    return Json.object(summary(bundle.directory), "bottleneck");
  }

  /** In the whole hold workers were in calls for 97 % of the time, and the processors full. */
  @Test
  void aLoadWithHeadroomOutsideOfItsFaultHasHeadroom() throws IOException {
    JsonObject found = bottleneck(3, 0.86, "'processor':{'':1}");
    assertThat(Json.text(found, "sentence", ""))
        .isEqualTo(
            "nothing was exhausted in hold: the rate was reached and workers were in calls for 33 %"
                + " of the time");
    assertThat(Json.object(found, "time").get("server_ns").getAsDouble()).isBetween(2e6, 2.005e6);
  }

  /** In the fault sessions wait for a flush, and an exchange takes seconds. */
  @Test
  void sessionsCountOutsideOfTheFaults() throws IOException {
    JsonObject found = bottleneck(1, 0.5, "'lock':{'tuple':1}");
    assertThat(Json.text(found, "sentence", ""))
        .isEqualTo(
            "bound by locks on data in hold: 1.0 of 1.0 calls in flight wait for a lock (tuple)");
  }
}
