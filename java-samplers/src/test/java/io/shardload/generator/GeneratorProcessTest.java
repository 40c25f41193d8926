package io.shardload.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.config.Secrets;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.hosts.LocalHosts;
import io.shardload.keys.FileJournal;
import io.shardload.keys.Journal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.RedisRanges;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;

/** Generators as processes have them, with threads, files and the machine's own clock. */
class GeneratorProcessTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_GENERATOR_REDIS";
  private static final int RANGE = 4096;

  @TempDir Path directory;

  private RunConfig config(int generator, String redisUrl) {
    return config(generator, redisUrl, "open", 1);
  }

  private RunConfig config(int generator, String redisUrl, String model, int seconds) {
    return RunConfig.read(json(generator, redisUrl, model, seconds));
  }

  private JsonObject json(int generator, String redisUrl, String model, int seconds) {
    String json =
        """
        {"run": {"id": "r", "directory": "%s"},
         "target": {"name": "noop", "driver": "noop", "options": {"service-time": "1ms"},
                    "redis": {"url": "%s", "password-env": "%s"}},
         "workload": {"name": "document-store", "seed": 1, "data": {"documents": 5000}},
         "scenario": "insert", "mix": {"insert": 100},
         "load": {"model": "%s", "arrivals": "constant", "workers": 2,
                  "generator": %d, "generators": 2,
                  "segments": [{"name": "hold", "kind": "hold", "seconds": %d,
                                "from_rate": 400, "to_rate": 400,
                                "from_workers": 2, "to_workers": 2}]}}
        """
            .formatted(
                directory,
                redisUrl,
                redisUrl.isEmpty() ? "" : PASSWORD_ENV,
                model,
                generator,
                seconds);
    JsonObject parsed = JsonParser.parseString(json).getAsJsonObject();
    if (redisUrl.isEmpty()) {
      parsed.getAsJsonObject("target").remove("redis");
    }
    return parsed;
  }

  private static void runToItsEnd(RunConfig config) throws Exception {
    runToItsEnd(config, () -> {});
  }

  private static void runToItsEnd(RunConfig config, Runnable whenOpen) throws Exception {
    try (GeneratorProcess process = GeneratorProcess.open(config, false)) {
      whenOpen.run();
      LoadThreads.run(process, config.load().workers());
    }
  }

  /**
   * Two generators share the arrivals of one schedule and the ordinals of one Redis; their ledgers
   * close and add up to the whole. Mutation: ignore {@code target.redis}.
   */
  @Test
  void twoGeneratorsShareOrdinalsThroughRedis() throws Exception {
    String password = UUID.randomUUID().toString();
    Secrets.provide(PASSWORD_ENV, password);
    try (EmbeddedRedis redis = EmbeddedRedis.start(password)) {
      runToItsEnd(config(0, redis.url()));
      runToItsEnd(config(1, redis.url()));
      try (RedisRanges third = RedisRanges.connect(redis.url(), PASSWORD_ENV, "r", 0, RANGE)) {
        // Each took one range and two ahead, beginning at the 5000 loaded documents.
        assertThat(third.next()).isEqualTo(5000 + 2 * 3 * RANGE);
      }
    }
    Measured one = Measured.read(directory.resolve("latencies"), 0);
    Measured other = Measured.read(directory.resolve("latencies"), 1);
    assertThat(one.closed("hold")).isTrue();
    assertThat(other.closed("hold")).isTrue();
    assertThat(one.scheduled("hold")).isEqualTo(200);
    assertThat(other.scheduled("hold")).isEqualTo(200);
    assertThat(one.lastLine().get("stop_reason").getAsString()).isEqualTo("schedule");
    assertThat(one.lastLine().get("workers_ended_early").getAsInt()).isZero();
  }

  /**
   * The run ends in order and says why. Mutations: go on without new ordinals; leave the reason
   * out.
   */
  @Test
  void aLostRedisEndsTheRun() throws Exception {
    String password = UUID.randomUUID().toString();
    Secrets.provide(PASSWORD_ENV, password);
    try (EmbeddedRedis redis = EmbeddedRedis.start(password);
        JedisPooled client =
            new JedisPooled(
                new HostAndPort("127.0.0.1", redis.port()),
                DefaultJedisClientConfig.builder().password(password).build())) {
      runToItsEnd(
          config(0, redis.url(), "closed", 120),
          () -> assertThat(client.del("shardload:r:next-ordinal")).isOne());
    }
    Measured measured = Measured.read(directory.resolve("latencies"), 0);
    JsonObject last = measured.lastLine();
    assertThat(last.get("stop_reason").getAsString()).isEqualTo("ordinals-lost");
    assertThat(last.get("actual_end_ns").getAsLong()).isLessThan(120_000_000_000L);
    assertThat(last.get("retired").getAsLong()).isZero();
    assertThat(measured.closed("hold")).isTrue();
    assertThat(directory.resolve("latencies/generator-0.error"))
        .content()
        .contains("Redis has lost the key shardload:r:next-ordinal");
  }

  /**
   * Each line ends a second after the one before it, and none earlier. Mutation: a second ticker
   * beside the first.
   */
  @Test
  void aLedgerLineComesEachSecondAndNoneEarlier() throws Exception {
    runToItsEnd(config(0, "", "open", 4));
    List<JsonObject> lines = Measured.read(directory.resolve("latencies"), 0).lines();
    assertThat(lines.get(2).get("seq").getAsLong()).isEqualTo(2);
    assertThat(lines.get(2).get("to_ns").getAsLong()).isGreaterThanOrEqualTo(2_900_000_000L);
  }

  /**
   * The machine used at least what this process did, and at most all of its processors; the kernel
   * counts in steps of 10 ms on each. Mutations: no sample at the start; of the last line only.
   */
  @Test
  void samplesOfTheMachineCoverTheRun() throws Exception {
    JsonObject json = json(0, "", "closed", 3);
    json.getAsJsonObject("load").addProperty("generators", 1);
    json.addProperty("host_metrics", "local");
    AtomicBoolean over = new AtomicBoolean();
    Thread spinning =
        new Thread(
            () -> {
              while (!over.get()) {
                Thread.onSpinWait();
              }
            });
    try {
      // Otherwise this process uses little more than the ticks are unsure of.
      runToItsEnd(RunConfig.read(json), spinning::start);
    } finally {
      over.set(true);
    }
    Files.writeString(directory.resolve("run.json"), json.toString());
    List<JsonObject> lines = Measured.read(directory.resolve("latencies"), 0).lines();
    JsonObject first = lines.get(0).getAsJsonObject("machine_at_start");
    JsonObject last = lines.get(lines.size() - 1).getAsJsonObject("machine");
    double cores = last.get("cores").getAsDouble();
    double own = growth(lines.get(0), lines.get(lines.size() - 1), "cpu_ns") / 1e9;
    double busy = growth(lines.get(0).getAsJsonObject("machine"), last, "cpu_busy_seconds");
    // The kernel counts the machine's time by ticks of 10 ms that it finds busy: three deviations.
    double rounding = 0.02 * cores + 3 * Math.sqrt(0.01 * own);
    assertThat(busy).isBetween(own - rounding, growth(first, last, "seconds") * cores + rounding);

    HostMetrics metrics = LocalHosts.read(BundleReader.read(directory));
    assertThat(metrics.hosts()).hasSize(1);
    double[] cpu = metrics.hosts().get(0).values().get(Figure.CPU);
    assertThat(cpu).hasSizeGreaterThanOrEqualTo(3);
    for (double ratio : cpu) {
      assertThat(ratio).isBetween(0.0, 1.0);
    }
  }

  /**
   * No call is answered for 400 ms. Mutations: no thread that looks; one in a run without faults.
   */
  @Test
  void aRunWithFaultsLooksForSilences() throws Exception {
    for (boolean faults : new boolean[] {false, true}) {
      JsonObject json = json(0, "", "open", 2);
      directory = Files.createDirectory(directory.resolve("faults-" + faults));
      json.getAsJsonObject("run").addProperty("directory", directory.toString());
      JsonObject options =
          JsonParser.parseString("{'stalls': [{'at': '500ms', 'for': '400ms'}]}").getAsJsonObject();
      json.getAsJsonObject("target").add("options", options);
      if (faults) {
        json.add("faults", JsonParser.parseString("[{'name': 'kill-1', 'fault': 'kill'}]"));
      }
      runToItsEnd(RunConfig.read(json));
      GeneratorLog log = BundleReader.generator(directory, 0);
      assertThat(log.silences().stream().anyMatch(one -> one.fromNanos() < 900_000_000))
          .isEqualTo(faults);
    }
  }

  private static double growth(JsonObject from, JsonObject to, String key) {
    return to.get(key).getAsDouble() - from.get(key).getAsDouble();
  }

  @Test
  void nothingIsSampledUnlessItIsAskedFor() throws Exception {
    JsonObject json = json(0, "", "closed", 1);
    json.addProperty("host_metrics", "off");
    runToItsEnd(RunConfig.read(json));
    List<JsonObject> lines = Measured.read(directory.resolve("latencies"), 0).lines();
    assertThat(lines).noneMatch(line -> line.toString().contains("machine"));
  }

  /** As after JMeter's stop port. Mutation: take threads that did not come back for done. */
  @Test
  void threadsThatJmeterEndedAreNoEndBySchedule() throws Exception {
    try (GeneratorProcess process = GeneratorProcess.open(config(0, ""), false)) {
      LoadThread one = process.newThread();
      LoadThread other = process.newThread();
      Thread second = new Thread(other::slice);
      second.start();
      one.slice();
      second.join();
      process.threadDied(new StackOverflowError());
    }
    JsonObject last = Measured.read(directory.resolve("latencies"), 0).lastLine();
    assertThat(last.get("stop_reason").getAsString()).isEqualTo("threads-ended");
    assertThat(last.get("worker_error").getAsString()).isEqualTo("java.lang.StackOverflowError");
    assertThat(last.get("workers_ended_early").getAsInt()).isEqualTo(2);
    assertThat(last.get("actual_end_ns").getAsLong()).isLessThan(1_000_000_000L);
  }

  /** Mutation: leave the final line out when the run was stopped. */
  @Test
  void aStoppedGeneratorSaysSo() throws Exception {
    RunConfig config = config(0, "");
    try (GeneratorProcess process = GeneratorProcess.open(config, false)) {
      process.newThread();
      process.newThread();
      assertThat(process.isOverdue()).isFalse();
      process.stop("stdin-closed");
      assertThat(process.isOverdue()).isFalse();
    }
    Measured measured = Measured.read(directory.resolve("latencies"), 0);
    assertThat(measured.lastLine().get("stop_reason").getAsString()).isEqualTo("stdin-closed");
    assertThat(measured.scheduled("hold")).isZero();
  }

  /** Mutations: write no marks; no last one; marks in a run without faults. */
  @Test
  void theJournalOfARunWithFaultsEndsWithAMark() throws Exception {
    for (boolean faults : new boolean[] {false, true}) {
      directory = Files.createDirectory(directory.resolve("faults-" + faults));
      TestDatabases.Database database = TestDatabases.fresh();
      JsonObject json = storedJson(database);
      if (faults) {
        json.add("faults", JsonParser.parseString("[{'name': 'kill-1', 'fault': 'kill'}]"));
      }
      RunConfig config = RunConfig.read(json);
      try (Target opened = database.open("{}")) {
        DataSet data = DataSet.open(opened, config.workload(), config.model(), false);
        data.load(done -> {});
        data.begin("r");
        runToItsEnd(config);
      }
      StringBuilder entries = new StringBuilder();
      FileJournal.replay(
          directory.resolve("journal/generator-0.jnl"),
          new Journal() {
            @Override
            public void append(long ordinal, short state) {
              entries.append('w');
            }

            @Override
            public void mark(long nanos) {
              entries.append('m');
            }
          });
      assertThat(entries.toString()).matches(faults ? "(w+m){2,}" : "w+");
    }
  }

  /** A run on a database of its own, with 20 documents. */
  private RunConfig stored(TestDatabases.Database database) {
    return RunConfig.read(storedJson(database));
  }

  private JsonObject storedJson(TestDatabases.Database database) {
    JsonObject target = new JsonObject();
    target.addProperty("driver", "postgresql");
    target.addProperty("url", database.url());
    target.addProperty("user", database.server().user());
    target.addProperty("password-env", "");
    JsonObject json = json(0, "", "open", 1);
    json.add("target", target);
    json.getAsJsonObject("workload").getAsJsonObject("data").addProperty("documents", 20);
    return json;
  }

  /**
   * Half of 400 inserts a second: what bounds the lost end of its journal. Mutations: nothing; the
   * inserts of all generators.
   */
  @Test
  void theJournalSaysHowManyWritesASecondAreScheduled() throws Exception {
    TestDatabases.Database database = TestDatabases.fresh();
    RunConfig config = stored(database);
    try (Target opened = database.open("{}")) {
      DataSet data = DataSet.open(opened, config.workload(), config.model(), false);
      data.load(done -> {});
      data.begin("r");
      GeneratorProcess.open(config, false).close();
    }
    assertThat(JournalHeader.read(directory.resolve("journal/generator-0.jnl")))
        .contains(new JournalHeader(0, 2, 20, 200, 2, "r"));
  }

  /**
   * A generator that comes back after its run was settled, or that was never expected. Mutation:
   * open whatever the header says.
   */
  @Test
  void aGeneratorThatMeetsOthersOpensOnlyTheDataSetOfItsRun() throws Exception {
    TestDatabases.Database database = TestDatabases.fresh();
    RunConfig config = stored(database);
    MeetingPoint meeting = Meetings.shared(MeetingPoint.Lease.UNLIMITED);
    assertThatThrownBy(() -> GeneratorProcess.open(config, false, meeting))
        .hasMessageContaining("not marked for run r: it has no header");
    try (Target opened = database.open("{}")) {
      DataSet data = DataSet.open(opened, config.workload(), config.model(), false);
      data.load(done -> {});
      assertThatThrownBy(() -> GeneratorProcess.open(config, false, meeting))
          .hasMessageContaining("not marked for run r: it is clean");
      data.begin("r");
      GeneratorProcess.open(config, false, meeting).close();
      assertThat(directory.resolve("journal/generator-0.jnl")).exists();
    }
  }
}
