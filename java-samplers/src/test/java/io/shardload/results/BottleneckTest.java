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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What bounds a load. Eight workers; calls of 80 ms in a hold of 10 s at 200/s, half of it done.
 */
class BottleneckTest extends Finished {
  private static final int SECONDS = 10;
  private static final long MILLI = 1_000_000;

  private final List<HostSeries> machines = new ArrayList<>();
  private final StringBuilder sessions = new StringBuilder();
  private BundleFixture.Generator generator;

  @BeforeEach
  void pressed() {
    bundle.segment("hold", "hold", SECONDS, 200);
    generator = bundle.generator(0);
    generator.workers = 8;
    calls(100, 100, 10, 60, 10);
    busy(0.99);
  }

  /** Calls in each second, those that were dropped, and what a call took in milliseconds. */
  private void calls(int done, int dropped, int connect, int search, int fetch) {
    for (int second = 0; second < SECONDS; second++) {
      generator.done(second, "hold", "find", done);
      generator.latency(second, "hold", "find", "connect", connect * MILLI, done);
      generator.latency(second, "hold", "find", "search", search * MILLI, done);
      generator.latency(second, "hold", "find", "fetch", fetch * MILLI, done);
      generator.latency(
          second, "hold", "find", "service", (connect + search + fetch) * MILLI, done);
      generator.latency(second, "hold", "find", "wait", 20 * MILLI, done);
      if (dropped > 0) {
        generator.dropped(second, "hold", "find", 500 * MILLI, dropped);
      }
    }
  }

  private void busy(double share) {
    double nanos = share * generator.workers * SECONDS * 1e9;
    generator.busyNanos = BundleFixture.parse("{'hold': %.0f}".formatted(nanos));
  }

  private void machine(String name, double cpu, double disk) {
    double[] cpus = new double[SECONDS];
    double[] disks = new double[SECONDS];
    Arrays.fill(cpus, cpu);
    Arrays.fill(disks, disk);
    machines.add(
        new HostSeries(name, "shard", true, 4, Map.of(Figure.CPU, cpus, Figure.DISK_BUSY, disks)));
  }

  /** A server's sessions in each second of the hold, as {@code 'lock': {'tuple': 7}}. */
  private void server(String name, String role, String doing, double roundTripMillis) {
    server(name, role, doing, roundTripMillis, 0.2);
  }

  private void server(
      String name, String role, String doing, double roundTripMillis, double atRestMillis) {
    for (int second = -3; second < SECONDS; second++) {
      double millis = second < 0 ? atRestMillis : roundTripMillis;
      sessions.append(
          BundleFixture.parse(
              ("{'epoch_ms': %d, 'servers': {'%s': {'role': '%s', 'sessions': {%s},"
                      + " 'round_trip_seconds': %s}}, 'refused': {}}")
                  .formatted(
                      BundleFixture.START_EPOCH_MILLIS + 1000L * second,
                      name,
                      role,
                      second < 0 ? "" : doing,
                      millis / 1000)));
      sessions.append('\n');
    }
  }

  private JsonObject bottleneck() throws IOException {
    bundle.hostMetrics = new HostMetrics(HostMetrics.STORE, "", 1, machines, List.of());
    bundle.write();
    Files.writeString(bundle.directory.resolve("sessions.jsonl"), sessions);
    return Json.object(summary(bundle.directory), "bottleneck");
  }

  private void expect(String resource, String... words) throws IOException {
    JsonObject found = bottleneck();
    assertThat(Json.text(found, "resource", "")).as("%s", found).isEqualTo(resource);
    assertThat(Json.text(found, "sentence", "")).contains(words);
  }

  @Test
  void sessionsThatWaitForLocks() throws IOException {
    machine("db1", 0.95, 0.1);
    server("db1:5432", "primary", "'lock': {'tuple': 6, 'transactionid': 1}, 'flush': {'': 1}", 1);
    expect("locks", "bound by locks on data in hold: 7.0 of 7.9 calls in flight", "(tuple)");
  }

  /** The sessions run although a quota leaves the machine's processors idle. */
  @Test
  void sessionsThatAreReadyToRunLackProcessors() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'processor': {'': 6}, 'idle': {'': 2}", 1);
    expect("processor", "6.0 sessions were ready to run, and 1.2 processors in use");
  }

  /** On a machine that is hardly used, a read sees a session that runs every now and then. */
  @Test
  void aSessionThatRunsNowAndThenLacksNoProcessor() throws IOException {
    machine("db1", 0.01, 0.1);
    server("db1:5432", "primary", "'processor': {'': 0.4}, 'lock': {'tuple': 7}", 1);
    expect("locks", "wait for a lock");
    sessions.setLength(0);
    server("db1:5432", "primary", "'processor': {'': 0.4}, 'idle': {'': 8}", 0.3);
    expect("workers", "all 8 were in calls");
  }

  /** Sessions that did not read their next call yet look idle. */
  @Test
  void fewSessionsThatAreReadyToRunAreEnough() throws IOException {
    machine("db1", 0.2, 0.1);
    server("db1:5432", "primary", "'processor': {'': 2}, 'idle': {'': 6}", 28);
    expect("processor", "2.0 sessions were ready to run, and 0.8 processors in use");
  }

  /** More of them wait for the log. */
  @Test
  void readySessionsAreNotTheCauseWhereMoreWait() throws IOException {
    machine("db1", 0.2, 0.1);
    server("db1:5432", "primary", "'processor': {'': 2}, 'flush': {'WALSync': 5}", 1);
    expect("disk", "5.0 of 7.9 calls in flight wait for the log");
  }

  /** Each session keeps a processor, and others are free. Mutation: look at the sessions alone. */
  @Test
  void sessionsThatRunOnFreeProcessorsAreTooFew() throws IOException {
    machine("db1", 0.6, 0.1);
    machine("db2", 0.7, 0.1);
    server("db1:5432", "primary", "'processor': {'': 5}, 'idle': {'': 3}", 1);
    expect("workers", "5.0 of 8 calls kept a processor busy");
  }

  @Test
  void aMachineWithoutMoreProcessors() throws IOException {
    machine("db1", 0.97, 0.1);
    expect("processor", "the processors of db1 (shard) were 97 % in use");
    assertThat(BundleFixture.texts(bottleneck(), "unknown"))
        .containsExactly("what sessions wait for in the servers: the servers did not report any");
  }

  @Test
  void oneMachineOfSeveralIsAHotShard() throws IOException {
    machine("db1", 0.97, 0.1);
    machine("db2", 0.4, 0.1);
    machine("db3", 0.2, 0.1);
    expect("shard", "db1 (shard) were 97 % in use, and the other machines 30 %");
  }

  @Test
  void oneWorkerOfSeveralIsAHotShard() throws IOException {
    machine("db1", 0.5, 0.1);
    server("c:5432", "coordinator", "'worker': {'Extension': 7}, 'idle': {'': 1}", 1);
    server("w1:5432", "worker", "'disk': {'DataFileRead': 6}", 1);
    server("w2:5432", "worker", "'disk': {'DataFileRead': 1}", 1);
    expect("shard", "w1:5432 has 6.0 of 7.0 busy sessions");
  }

  @Test
  void sessionsThatWaitForTheLog() throws IOException {
    machine("db1", 0.2, 0.5);
    server("db1:5432", "primary", "'flush': {'WALSync': 5, 'WALWrite': 1}, 'idle': {'': 2}", 1);
    expect("disk", "6.0 of 7.9 calls in flight wait for the log of changes (WALSync)");
  }

  /** Workers are free between the stalls. Mutation: ask how busy they were alone. */
  @Test
  void sessionsThatWaitForTheLogAgainAndAgain() throws IOException {
    busy(0.5);
    generator.latency(1, "hold", "find", "wait", 900 * MILLI, 1000);
    machine("db1", 0.2, 0.1);
    server("db1:5432", "primary", "'flush': {'WALWrite': 3}, 'idle': {'': 5}", 1);
    expect("disk", "3.0 of 4.0 calls in flight wait for the log of changes");
  }

  @Test
  void aBusyDisk() throws IOException {
    machine("db1", 0.2, 0.98);
    expect("disk", "the busiest disk of db1 (shard) was 98 % busy");
  }

  /** A transaction that reads everything takes most of the time. Mutation: blame the processor. */
  @Test
  void aPlanThatReadsEverything() throws IOException {
    machine("db1", 0.97, 0.1);
    Files.createDirectories(bundle.directory);
    Files.writeString(
        bundle.directory.resolve("evidence.json"),
        "{\"plans\": {\"find\": {\"access\": \"full-scan\"}}}");
    expect("plan", "find has no index that narrows its search", "97 % in use");
    Files.writeString(
        bundle.directory.resolve("evidence.json"),
        "{\"plans\": {\"rare\": {\"access\": \"full-scan\"}}}");
    generator.done(0, "hold", "rare", 1);
    expect("processor", "97 % in use");
  }

  @Test
  void callsThatWaitForAConnection() throws IOException {
    calls(1000, 0, 700, 60, 10);
    machine("db1", 0.3, 0.1);
    expect("pool", "a mean call waits");
  }

  /** A pooler between has fewer sessions than calls. */
  @Test
  void callsThatWaitForASession() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'processor': {'': 1}, 'idle': {'': 1}", 1);
    expect("pool", "7.9 calls in flight have 2.0 sessions in the servers");
  }

  @Test
  void sessionsWhoseRowsNobodyTakes() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'send': {'ClientWrite': 3}, 'idle': {'': 5}", 1);
    expect("network", "3.0 of 7.9 calls in flight wait for the network");
  }

  @Test
  void anExchangeThatTakesMuchLongerThanAtRest() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'idle': {'': 8}", 45);
    expect("network", "an exchange took 45.0 ms, and 200 us at rest");
  }

  /** It is far away: an exchange takes as long at rest. */
  @Test
  void aLongWayIsNoCongestion() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'idle': {'': 8}", 45, 40);
    expect("workers", "all 8 were in calls");
  }

  @Test
  void callsThatAreMostlyOutside() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'processor': {'': 1}, 'idle': {'': 7}", 0.3);
    expect("workers", "all 8 were in calls, 1.0 of them in the servers");
  }

  /** Mutation: a commit that waits for another machine is said to wait for its own. */
  @Test
  void sessionsThatWaitForAStandby() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'inner': {'SyncRep': 7}, 'idle': {'': 1}", 0.3);
    expect("server", "calls in flight wait for a synchronous standby (SyncRep)");
  }

  @Test
  void theGeneratorItself() throws IOException {
    machine("db1", 0.3, 0.1);
    for (int second = 0; second < SECONDS; second++) {
      generator.own(second, "hold", "hiccup", 90 * MILLI, 500);
    }
    expect("generator", "its threads woke 90.0 ms late in the mean");
  }

  /** Under a quota it stands still for a short time again and again; responses take seconds. */
  @Test
  void aGeneratorThatIsSlowerThanTheTarget() throws IOException {
    bundle.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    machine("db1", 0.6, 0.1);
    server("db1:5432", "primary", "'idle': {'': 8}", 0.3);
    for (int second = 0; second < SECONDS; second++) {
      generator.own(second, "hold", "hiccup", 41 * MILLI, 500);
    }
    expect("generator", "woke 41.0 ms late in the mean, and a mean call took 80.0 ms");
    machines.clear();
    machine("db1", 0.95, 0.1);
    expect("generator", "woke 41.0 ms late in the mean");
    sessions.setLength(0);
    server("db1:5432", "primary", "'processor': {'': 3}, 'idle': {'': 5}", 0.3);
    expect("processor", "95 % in use");
  }

  /**
   * Others use the processors that both share. Mutation: blame the workers, which are all in calls.
   */
  @Test
  void aGeneratorThatIsKeptFromTheProcessors() throws IOException {
    bundle.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    machine("db1", 0.99, 0.1);
    server("db1:5432", "primary", "'idle': {'': 8}", 1);
    for (int second = 0; second < SECONDS; second++) {
      generator.own(second, "hold", "hiccup", 20 * MILLI, 500);
      generator.latency(second, "hold", "find", "response", 5000 * MILLI, 100);
    }
    expect("generator", "woke 20.0 ms late", "of a mean call of 80.0 ms an exchange took 1.00 ms");
    sessions.setLength(0);
    server("db1:5432", "primary", "'idle': {'': 8}", 21, 20);
    expect("unknown", "99 % in use, and no session is seen to use them");
    machines.clear();
    machine("db1", 0.3, 0.1);
    expect("workers", "all 8 were in calls");
  }

  /** Mutation: any load that has a resource which is used most. */
  @Test
  void aLoadThatIsNotPressedIsBoundByNothing() throws IOException {
    bundle = new BundleFixture(directory);
    bundle.segment("hold", "hold", SECONDS, 100);
    generator = bundle.generator(0);
    generator.workers = 8;
    calls(100, 0, 10, 60, 10);
    busy(0.3);
    machine("db1", 0.5, 0.1);
    server("db1:5432", "primary", "'processor': {'': 2}, 'idle': {'': 6}", 1);
    expect("nothing", "nothing was exhausted in hold", "30 % of the time");
    machines.clear();
    machine("db1", 0.97, 0.1);
    expect("processor", "97 % in use");
    sessions.setLength(0);
    server("db1:5432", "primary", "'idle': {'': 8}", 1);
    expect("nothing", "nothing was exhausted in hold");
  }

  /** Workers are free in between. Mutation: calls that wait for a worker longer than they take. */
  @Test
  void aServerThatStandsStillAgainAndAgain() throws IOException {
    bundle = new BundleFixture(directory);
    bundle.segment("hold", "hold", SECONDS, 100);
    generator = bundle.generator(0);
    generator.workers = 8;
    calls(100, 0, 0, 20, 10);
    busy(0.3);
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'flush': {'WALSync': 2}, 'idle': {'': 6}", 0.3);
    expect("disk", "2.0 of 2.4 calls in flight wait for the log of changes (WALSync)");
    calls(100, 0, 0, 60, 10);
    expect("nothing", "nothing was exhausted in hold");
  }

  @Test
  void whatWasNotMeasuredIsNotKnown() throws IOException {
    expect("unknown", "what bounds it is not known");
    assertThat(BundleFixture.texts(bottleneck(), "unknown")).hasSize(2);
    generator.busyNanos = null;
    expect("unknown", "how busy the workers were is not known");
  }

  /** Of a bundle from elsewhere. */
  @Test
  void aDamagedFileOfSessionsIsNotKnown() throws IOException {
    machine("db1", 0.3, 0.1);
    server("db1:5432", "primary", "'lock': {'tuple': 7}", 1);
    String whole = sessions.toString();
    for (String line :
        new String[] {
          "{}",
          "null",
          "[1]",
          "{\"epoch_ms\":1790000001000,\"servers\":{\"a\":null}}",
          "{\"epoch_ms\":1790000001000,\"servers\":{\"a\":{}}}",
          "{\"epoch_ms\":1790000001000,\"servers\":{\"a\":{\"sessions\":{\"lock\":null}}}}",
          "{\"epoch_ms\":1790000001000,\"servers\":{\"a\":{\"sessions\":{\"lock\":{\"x\":null}}}}}",
          "{\"epoch_ms\":\"x\""
        }) {
      sessions.setLength(0);
      sessions.append((line + "\n").repeat(5));
      assertThat(Json.text(bottleneck(), "resource", "")).as(line).isNotEqualTo("locks");
    }
    bottleneck();
    Files.write(bundle.directory.resolve("sessions.jsonl"), new byte[] {'{', (byte) 0xff, '\n'});
    assertThat(BundleFixture.texts(Json.object(summary(bundle.directory), "bottleneck"), "unknown"))
        .containsExactly("what sessions wait for in the servers: sessions.jsonl cannot be read");
    sessions.setLength(0);
    sessions.append("{}\nnull\n").append(whole).append("{\"epoch");
    expect("locks", "bound by locks");
  }

  /** 20 ms of waiting, and 10, 60 and 10 ms. */
  @Test
  void thePartsOfACallAddUp() throws IOException {
    JsonObject time = Json.object(bottleneck(), "time");
    assertThat(Json.number(time, "worker_ns", 0)).isCloseTo(20e6, withinPercent());
    assertThat(Json.number(time, "connect_ns", 0)).isCloseTo(10e6, withinPercent());
    assertThat(Json.number(time, "server_ns", 0)).isCloseTo(60e6, withinPercent());
    assertThat(Json.number(time, "fetch_ns", 0)).isCloseTo(10e6, withinPercent());
    assertThat(Json.number(time, "generator_ns", -1)).isZero();
  }

  private static Percentage withinPercent() {
    return Percentage.withPercentage(0.2);
  }
}
