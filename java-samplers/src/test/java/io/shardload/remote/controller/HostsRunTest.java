package io.shardload.remote.controller;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.GeneratorLog;
import io.shardload.config.Options;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.redis.Redis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** A whole run with two simulated generators, a real Redis and a virtual clock. */
class HostsRunTest {
  private static final long PLANNED = 5 * FakeHosts.SECOND;

  @TempDir Path bundle;
  private final String runId = UUID.randomUUID().toString();
  private EmbeddedRedis server;
  private Redis redis;
  private FakeHosts hosts;
  private long passedMillis;
  private HostsRun run;

  @BeforeEach
  void open() {
    server = EmbeddedRedis.start();
    redis = Redis.connect(server.url(), null, null);
    prepare(false);
  }

  private void prepare(boolean continueOnLoss) {
    hosts = new FakeHosts(redis, runId, 2);
    run =
        new HostsRun(
            FakeHosts.setting(runId, continueOnLoss),
            Redis.connect(server.url(), null, null),
            hosts,
            hosts);
    hosts.run = run;
  }

  @AfterEach
  void close() {
    run.close();
    redis.close();
    server.stop();
  }

  private Map<String, String> hash() {
    return redis.hgetAll("shardload:" + runId + ":n:run");
  }

  private static JsonObject generator(JsonObject status, int number) {
    return status.getAsJsonArray("generators").get(number).getAsJsonObject();
  }

  private String merged() throws IOException {
    GeneratorLog merged = BundleReader.read(bundle).merged();
    StringBuilder text = new StringBuilder();
    merged.forEachLine(
        line -> {
          Counts find = line.segments().getOrDefault("hold", Map.of()).get("find");
          text.append(find == null ? 0 : find.get(Counts.Field.STARTED)).append(' ');
        });
    return text.toString().strip();
  }

  /** With a warm-up of so many seconds. */
  private static LoadConfig load(double warmUp) {
    String first = "{'name':'warm-up','kind':'warm-up','seconds':%s},".formatted(warmUp);
    String segments = (warmUp > 0 ? first : "") + "{'name':'hold','seconds':60}";
    JsonObject load = BundleFixture.parse("{'model':'closed','segments':[%s]}".formatted(segments));
    return LoadConfig.read(new Options("load", load));
  }

  private void startRun() throws IOException {
    startRun(0);
  }

  private void startRun(double warmUp) throws IOException {
    Files.writeString(bundle.resolve("run.json"), "{}");
    Files.writeString(bundle.resolve("environment.json"), "{\"seed\": 1}");
    run.open();
    run.start(bundle, load(warmUp), PLANNED);
  }

  /** By the clock that does not step. Mutation: the time of the agreement. */
  @Test
  void theControllerKnowsWhenTheLoadStarts() throws IOException {
    assertThat(run.startNanos()).isEmpty();
    startRun();
    assertThat(run.startNanos()).hasValue(hosts.nanoTime() + 2 * FakeHosts.SECOND);
  }

  /** By how much the warm-up is prolonged so many seconds after the start, which is in 2 s. */
  private long prolongedAt(double seconds) {
    long start = 2000 - passedMillis;
    hosts.pass(start + Math.round(seconds * 1000));
    passedMillis = 2000 + Math.round(seconds * 1000);
    return Long.parseLong(hash().getOrDefault("prolonged_ns", "0"));
  }

  /**
   * One of two is busy in its seconds 1 and 2. Each second is agreed on between 2 and 1.5 s ahead.
   * Mutations: decide when all are busy; decide when the warm-up ends; wait for the end of it.
   */
  @Test
  void allGeneratorsWarmUpLongerWhileOneCompiles() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 100);
    hosts.generators.get(1).compiles = 2;
    startRun(3);
    assertThat(prolongedAt(0.9)).isZero();
    assertThat(prolongedAt(1.3)).isEqualTo(FakeHosts.SECOND);
    assertThat(prolongedAt(1.9)).isEqualTo(FakeHosts.SECOND);
    assertThat(prolongedAt(2.3)).isEqualTo(2 * FakeHosts.SECOND);
    assertThat(prolongedAt(9)).isEqualTo(2 * FakeHosts.SECOND);
    assertThat(run.status().getAsJsonArray("notes")).isEmpty();
  }

  /** Mutations: no bound; whole seconds only. */
  @Test
  void theWarmUpOfAllIsAtMostTwiceAsLong() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 100);
    hosts.generators.forEach(g -> g.compiles = 100);
    startRun(3.5);
    assertThat(prolongedAt(9)).isEqualTo(7 * FakeHosts.SECOND / 2);
  }

  /** Nobody can be sure to learn it in time. Mutation: make up for what was missed. */
  @Test
  void aControllerThatStoodStillProlongsNothingLate() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 100);
    hosts.generators.forEach(g -> g.compiles = 100);
    startRun(4);
    assertThat(prolongedAt(1.5)).isZero();
    hosts.controllerStands = true;
    assertThat(prolongedAt(2.6)).isZero();
    hosts.controllerStands = false;
    assertThat(prolongedAt(9)).isZero();
  }

  /** A dead generator's last words keep nobody waiting. Mutation: take them. */
  @Test
  void aLostGeneratorProlongsNothing() throws IOException {
    run.close();
    prepare(true);
    hosts.generators.forEach(g -> g.seconds = 100);
    hosts.generators.get(1).compiles = 100;
    startRun(12);
    assertThat(prolongedAt(2.1)).isZero();
    hosts.generators.get(1).silent = true;
    assertThat(prolongedAt(20)).isZero();
  }

  @Test
  void aRunFromBeginningToEnd() throws IOException {
    JsonObject opened = run.open();
    assertThat(opened.get("notes").toString())
        .isEqualTo(
            "[\"the clock of b:1099 is 3.0 s ahead of the clock of Redis; shardload corrects its"
                + " times\"]");
    assertThat(opened.getAsJsonArray("generators").get(1).getAsJsonObject().get("host"))
        .hasToString("\"b:1099\"");
    assertThat(hosts.generators.get(0).properties)
        .containsEntry("shardload.workers", "1")
        .containsEntry("more", "x");
    Files.writeString(bundle.resolve("run.json"), "{}");
    Files.writeString(bundle.resolve("environment.json"), "{\"seed\": 1}");
    hosts.generators.get(1).repeats = true;
    long start = run.start(bundle, load(0), PLANNED);
    assertThat(hosts.generators.get(0).properties)
        .containsEntry("shardload.workers", "3")
        .containsEntry("shardload.rehearsal", "false")
        .containsEntry(
            "shardload.config", "{\"load\":{\"workers\":3,\"generator\":0,\"generators\":2}}");
    assertThat(hosts.generators.get(1).properties).containsEntry("shardload.workers", "2");
    assertThat(hash()).containsEntry("start_us", start + hash().get("start_us").substring(13));
    hosts.pass(4500);
    JsonObject status = run.status();
    assertThat(status.get("over").getAsBoolean()).isFalse();
    assertThat(generator(status, 1).toString())
        .isEqualTo(
            "{\"generator\":1,\"host\":\"b:1099\",\"state\":\"running\",\"lag_seconds\":0.5,"
                + "\"silent_seconds\":0.4,\"rate\":10.0,\"backlog\":4,\"cpu_percent\":25.0,"
                + "\"gc_percent\":1.0,\"hiccup_p99_ms\":null,\"late_percent\":50.0,"
                + "\"clock_offset_ms\":3000.0,\"clock_uncertainty_ms\":0.5}");
    assertThat(merged()).isEqualTo("40 40");
    hosts.pass(4100);
    assertThat(run.status().get("over").getAsBoolean()).isTrue();
    assertThat(run.finish(Duration.ofSeconds(1)))
        .hasToString("{\"finals\":[0,1],\"lost\":[],\"exit\":0,\"trouble\":null,\"notes\":[]}");
    assertThat(merged()).isEqualTo("40 40 40 40 40");
    assertThat(hosts.calls).containsExactly("probe", "start", "probe", "start");
    checkBundle();
    assertThat(redis.xlen("shardload:" + runId + ":n:up")).isLessThan(10);
  }

  private void checkBundle() throws IOException {
    var read = BundleReader.read(bundle);
    assertThat(read.generators()).hasSize(2);
    for (GeneratorLog generator : read.generators()) {
      assertThat(generator.extent().lines()).isEqualTo(5);
      assertThat(generator.end().hlogBytes()).isEqualTo(20);
      int number = generator.generator();
      assertThat(bundle.resolve("latencies/generator-" + number + ".hlog"))
          .hasContent("01234567890123456789");
      assertThat(bundle.resolve("journal/generator-" + number + ".jnl"))
          .hasContent("jjjj".repeat(5));
    }
    assertThat(read.merged().end().stopReason()).isEqualTo("schedule");
    JsonObject environment = BundleFixture.read(bundle.resolve("environment.json"));
    assertThat(environment.get("seed").getAsInt()).isEqualTo(1);
    assertThat(environment.getAsJsonArray("generators")).hasSize(2);
  }

  /** Mutations: lose it later or earlier; count what it says afterwards; stop nobody. */
  @Test
  void aSilentGeneratorIsLostAndTheOthersAreStopped() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 100);
    startRun();
    hosts.pass(4100);
    hosts.generators.get(1).silent = true;
    hosts.pass(4600);
    assertThat(run.status().getAsJsonArray("lost")).isEmpty();
    assertThat(hash()).doesNotContainKeys("stop", "lost:1");
    hosts.pass(400);
    JsonObject status = run.status();
    assertThat(status.get("lost")).hasToString("[1]");
    assertThat(status.get("notes").toString())
        .contains("generator 1 (b:1099) was lost: no message from it for 4.8 s")
        .contains("the other generators are being stopped");
    assertThat(run.status().getAsJsonArray("notes")).isEmpty();
    assertThat(hash()).containsEntry("stop", "generator-lost").containsEntry("lost:1", "1");
    // It comes back, and is not heard any more.
    hosts.generators.get(1).second();
    hosts.pass(1500);
    assertThat(run.status().get("over").getAsBoolean()).isTrue();
    JsonObject end = run.finish(Duration.ofSeconds(1));
    assertThat(end)
        .hasToString(
            "{\"finals\":[0],\"lost\":[{\"generator\":1,\"host\":\"b:1099\","
                + "\"last_ns\":2000000000,\"noticed_ns\":6900000000}],\"exit\":5,\"trouble\":null,\"notes\":[]}");
    assertThat(hosts.calls).endsWith("stop [1]");
    assertThat(merged()).startsWith("40 40 20 20 20").doesNotContain("60");
    assertThat(bundle.resolve("latencies/generator-1.hlog")).hasSize(0);
  }

  @Test
  void theRunGoesOnWithoutALostGeneratorIfThatIsAskedFor() throws IOException {
    run.close();
    prepare(true);
    hosts.generators.get(0).seconds = 12;
    startRun();
    hosts.pass(4100);
    hosts.generators.get(1).silent = true;
    hosts.pass(7000);
    assertThat(run.status().get("lost")).hasToString("[1]");
    assertThat(hash()).containsKey("lost:1").doesNotContainKey("stop");
    hosts.pass(5000);
    assertThat(run.finish(Duration.ofSeconds(1)).get("finals")).hasToString("[0]");
    assertThat(merged()).isEqualTo("40 40" + " 20".repeat(10));
  }

  /** Mutation: count the time in which the controller did not read. */
  @Test
  void aControllerThatStoodStillLosesNobody() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 30);
    startRun();
    hosts.pass(4100);
    hosts.controllerStands = true;
    hosts.generators.get(1).silent = true;
    hosts.pass(6500);
    hosts.generators.get(1).silent = false;
    hosts.controllerStands = false;
    hosts.pass(1500);
    assertThat(run.status().getAsJsonArray("lost")).isEmpty();
    assertThat(hash()).doesNotContainKey("stop");
  }

  @Test
  void whatIsOrderedReachesTheGenerators() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 100);
    startRun();
    hosts.pass(4100);
    run.stop("signal");
    run.stop("failed-steps");
    assertThat(run.finish(Duration.ofSeconds(5)).get("finals")).hasToString("[0,1]");
    assertThat(BundleReader.read(bundle).merged().end().stopReason()).isEqualTo("signal");
  }

  @Test
  void whoDoesNotEndInTimeIsLost() throws IOException {
    hosts.generators.get(1).seconds = 100;
    startRun();
    hosts.pass(8000);
    assertThat(run.finish(Duration.ofSeconds(2)).get("lost").toString()).contains("b:1099");
    assertThat(hosts.calls).endsWith("stop [1]");
  }

  /** Mutation: do not compare the lengths. */
  @Test
  void aFinalLineWithoutAllItsBytesIsNone() throws IOException {
    hosts.generators.get(1).segmentsBytes = 21;
    startRun();
    hosts.pass(9000);
    JsonObject status = run.status();
    assertThat(generator(status, 1).get("state").getAsString()).isEqualTo("failed");
    assertThat(status.get("notes").toString()).contains("the histograms have 20 bytes");
    assertThat(run.finish(Duration.ZERO).get("finals")).hasToString("[0]");
  }

  @Test
  void anEmptiedRedisIsTrouble() throws IOException {
    hosts.generators.forEach(g -> g.seconds = 100);
    startRun();
    hosts.pass(4100);
    redis.delete("shardload:" + runId + ":n:run", "shardload:" + runId + ":n:up");
    hosts.pass(2000);
    JsonObject status = run.status();
    assertThat(status.get("trouble").getAsString()).contains("has lost the data of the run");
    assertThat(status.get("over").getAsBoolean()).isTrue();
    assertThat(hash()).isEmpty();
    assertThat(run.finish(Duration.ZERO).get("exit").getAsInt()).isEqualTo(5);
  }

  @Test
  void whatGeneratorsReportAfterTheirControllerDiedIsKept() throws IOException {
    startRun();
    hosts.pass(3100);
    hosts.calls.clear();
    run.close();
    // Asked for before the engines' tests are ended, so that nobody is cut off.
    assertThat(hosts.generators).allMatch(g -> g.stopReason.equals("controller-lost"));
    assertThat(hosts.calls).containsExactly("close");
    assertThat(lastLine("latencies/generator-0.jsonl")).contains("\"final\":true");
    assertThat(lastLine("latencies/generator-1.jsonl")).contains("\"final\":true");
    assertThat(lastLine("latencies/merged.jsonl")).contains("\"merged\":true");
  }

  private String lastLine(String file) throws IOException {
    List<String> lines = Files.readAllLines(bundle.resolve(file));
    return lines.get(lines.size() - 1);
  }

  @Test
  void aDeadRedisIsTrouble() throws IOException {
    startRun();
    hosts.pass(4100);
    hosts.generators.forEach(g -> g.silent = true);
    server.stop();
    hosts.pass(4700);
    assertThat(run.status().get("trouble").isJsonNull()).isTrue();
    hosts.pass(200);
    assertThat(run.status().get("trouble").getAsString()).contains("no longer answers");
    run.stop("signal");
    assertThat(run.finish(Duration.ofSeconds(60)).get("finals")).hasToString("[]");
    assertThat(hosts.nanoTime()).isLessThan(60 * FakeHosts.SECOND);
    server = EmbeddedRedis.start();
  }

  // What keeps a run from starting: engines, generators and a Redis that do not fit.

  private AbstractThrowableAssert<?, ?> refused(int exit) {
    return assertThatThrownBy(run::open)
        .isInstanceOfSatisfying(HostsException.class, e -> assertThat(e.exit()).isEqualTo(exit));
  }

  @Test
  void enginesThatAreNotIdleAreNotTouched() {
    hosts.probes.put(0, new EngineControl.Probe(EngineControl.State.DEAD, "connection refused"));
    hosts.probes.put(1, new EngineControl.Probe(EngineControl.State.BUSY, "runs another test"));
    refused(2).hasMessage("a:1099: connection refused\nb:1099: runs another test");
    run.close();
    assertThat(hosts.calls).containsOnly("probe", "close").hasSizeGreaterThan(10);
  }

  @Test
  void anotherKeyStoreIsRefusedAtOnce() {
    hosts.probes.put(1, new EngineControl.Probe(EngineControl.State.REFUSED, "another key store"));
    refused(1).hasMessage("b:1099: another key store");
    assertThat(hosts.calls).containsExactly("probe");
  }

  /** Mutation: leave out any comparison. */
  @Test
  void generatorsHaveToAgree() {
    hosts.generators.get(1).facts.addProperty("jmeter", "5.5");
    hosts.generators.get(1).facts.addProperty("generators", 3);
    hosts.generators.get(0).facts.addProperty("schedule_hash", "other");
    hosts.generators.get(0).facts.addProperty("plugin_sha256", "def");
    refused(1)
        .hasMessageContaining("b:1099: the JMeter version is 5.5, but 5.6.3 on the controller")
        .hasMessageContaining("b:1099: the number of generators is 3, but 2 on the controller")
        .hasMessageContaining(
            "a:1099: the hash of the schedule is other, but hash on the controller")
        .hasMessageContaining("differs: def on a:1099, abc on b:1099");
  }

  @Test
  void generatorsHaveToFindTheSameData() throws IOException {
    hosts.generators.get(1).facts.addProperty("high_water", 101);
    run.open();
    assertThatThrownBy(() -> run.start(bundle, load(0), PLANNED))
        .isInstanceOfSatisfying(HostsException.class, e -> assertThat(e.exit()).isEqualTo(1))
        .hasMessage("the high-water mark of the data set differs: 100 on a:1099, 101 on b:1099");
    assertThat(hash()).containsEntry("stop", "not-started").doesNotContainKey("start_us");
    assertThat(hosts.calls).contains("stop [0, 1]");
    assertThat(run.finish(Duration.ofSeconds(60)).get("lost").toString()).contains("a:", "b:");
    assertThat(hosts.nanoTime()).isLessThan(40 * FakeHosts.SECOND);
    assertThat(bundle).isEmptyDirectory();
  }

  @Test
  void whyAGeneratorCannotStartIsSaidWithItsHost() {
    hosts.generators.get(1).trouble = "environment variable PW is not set";
    refused(1).hasMessage("b:1099: environment variable PW is not set");
  }

  @Test
  void whatIsWrongOnAllHostsIsSaidOfAll() {
    hosts.generators.forEach(g -> g.trouble = "environment variable PW is not set");
    assertThatThrownBy(run::open)
        .hasMessage(
            "a:1099: environment variable PW is not set\n"
                + "b:1099: environment variable PW is not set");
  }

  @Test
  void aGeneratorThatCannotReportIsNotWaitedForOnceItsEngineIsIdle() {
    hosts.generators.get(1).silent = true;
    refused(1)
        .hasMessageStartingWith("b:1099: its generator cannot report to Redis at ")
        .hasMessageContaining("engine.log");
    assertThat(hosts.nanoTime()).isLessThan(60 * FakeHosts.SECOND);
  }

  @Test
  void aGeneratorThatSaysNothingIsNotWaitedForForEver() {
    hosts.busyOnceStarted = true;
    hosts.generators.get(0).silent = true;
    refused(2).hasMessage("a:1099: no message from its generator for 60 s");
  }

  @Test
  void anEngineThatDoesNotStartIsNamed() {
    hosts.failures.put(0, "gone");
    refused(2).hasMessage("a:1099: gone");
  }

  @Test
  void aRedisThatDropsKeysIsRefused() {
    try (Jedis client = new Jedis("127.0.0.1", server.port())) {
      client.configSet("maxmemory-policy", "allkeys-lru");
    }
    assertThat(refusalOf(run::open)).hasMessageContaining("maxmemory-policy allkeys-lru");
    assertThat(hosts.calls).isEmpty();
    assertThat(redis.xread("shardload:" + runId + ":n:up", Redis.StreamEntry.BEFORE_FIRST, 1))
        .isEmpty();
  }
}
