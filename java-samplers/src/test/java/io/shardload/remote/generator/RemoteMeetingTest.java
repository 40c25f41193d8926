package io.shardload.remote.generator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.HistogramLines;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.config.Secrets;
import io.shardload.driver.TcpProxy;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.generator.GeneratorProcess;
import io.shardload.generator.LoadThreads;
import io.shardload.generator.RunConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.PlanSums;
import io.shardload.redis.Redis;
import io.shardload.remote.wire.HelloFacts;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.RunKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole generators on the noop driver, which meet in a real Redis. */
class RemoteMeetingTest {
  /** What Redis answers to TIME. */
  private static final Pattern TIME = Pattern.compile("\\*2\r\n\\$10\r\n(\\d{10})\r\n");

  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_MEETING_REDIS";
  private static final int WORKERS = 3;

  @TempDir Path directory;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private EmbeddedRedis server;
  private FakeController controller;

  @BeforeEach
  void open() {
    String password = UUID.randomUUID().toString();
    Secrets.provide(PASSWORD_ENV, password);
    server = EmbeddedRedis.start(password);
    controller = new FakeController(Redis.connect(server.url(), password, null), "r", 2);
  }

  @AfterEach
  void close() throws InterruptedException {
    controller.close();
    server.close();
    threads.shutdownNow();
  }

  private JsonObject json(int generator, int generators, String model, int seconds) {
    int workers = WORKERS / generators + (generator < WORKERS % generators ? 1 : 0);
    String json =
        """
        {"run": {"id": "r", "directory": "%s"},
         "target": {"name": "noop", "driver": "noop", "options": {"service-time": "1ms"},
                    "redis": {"url": "%s", "password-env": "%s"}},
         "hosts": {"list": ["one:1099", "two:1099"], "nonce": "n", "redis_url": "%s", "redis_password_env": "%s"},
         "workload": {"name": "document-store", "seed": 1, "data": {"documents": 5000}},
         "mix": {"insert": 50, "find-by-id-and-filter1": 50},
         "load": {"model": "%s", "workers": %d, "generator": %d, "generators": %d,
                  "segments": [{"name": "warm", "kind": "warm-up", "seconds": 1,
                                "from_rate": 300, "to_rate": 300, "from_workers": 3, "to_workers": 3},
                               {"name": "hold", "kind": "hold", "seconds": %d,
                                "from_rate": 300, "to_rate": 300, "from_workers": 3, "to_workers": 3}]}}
        """
            .formatted(
                directory.resolve("host-" + generator),
                server.url(),
                PASSWORD_ENV,
                server.url(),
                PASSWORD_ENV,
                model,
                workers,
                generator,
                generators,
                seconds);
    return JsonParser.parseString(json).getAsJsonObject();
  }

  /** Runs a generator to its end; returns what it left. */
  private Future<GeneratorLog> run(JsonObject json) {
    return threads.submit(() -> runToItsEnd(json));
  }

  private GeneratorLog runToItsEnd(JsonObject json) throws Exception {
    RunConfig config = RunConfig.read(json);
    RemoteMeeting meeting = RemoteMeeting.connect(Member.read(json), config, "5.6.3");
    try (GeneratorProcess process = GeneratorProcess.open(config, false, meeting)) {
      LoadThreads.run(process, config.load().workers());
    }
    return BundleReader.generator(config.directory(), config.load().generator());
  }

  private JsonObject lastLine(int generator) throws IOException {
    Path ledger =
        directory
            .resolve("host-" + generator)
            .resolve("latencies/generator-" + generator + ".jsonl");
    List<String> lines = Files.readAllLines(ledger);
    return JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
  }

  private static void assertClosed(GeneratorLog log) {
    long scheduled =
        log.end().scheduled().values().stream()
            .flatMap(counts -> counts.values().stream())
            .mapToLong(n -> n)
            .sum();
    assertThat(log.end().issued().all().number()).isEqualTo(scheduled);
  }

  /**
   * Two generators begin at the agreed time and do the whole plan; the controller receives all that
   * their files hold. Mutations: the own wall clock in ledger lines; a start of one's own; drop the
   * last second; the final line before the segments.
   */
  @Test
  void theControllerReceivesWhatTheFilesHold() throws Exception {
    List<Future<GeneratorLog>> runs =
        List.of(run(json(0, 2, "open", 2)), run(json(1, 2, "open", 2)));
    long start = controller.startWhenReady(2);
    ArrivalSum issued = new ArrivalSum();
    for (int generator = 0; generator < 2; generator++) {
      GeneratorLog log = runs.get(generator).get();
      assertClosed(log);
      assertThat(log.end().stopReason()).isEqualTo("schedule");
      assertThat(log.end().startEpochMillis()).isEqualTo(start / 1000);
      issued.add(log.end().issued().all());
      assertReceived(generator, log, start);
    }
    Plan plan = Plan.read(json(0, 1, "open", 2));
    ArrivalSum whole = PlanSums.of(plan, new long[] {plan.schedule().endNanos()}).ofGenerator(0);
    assertThat(issued.number()).isEqualTo(whole.number()).isEqualTo(900);
    assertThat(issued.sameIndexes(whole)).isTrue();
    assertThat(controller.of(Message.Trouble.class)).isEmpty();
  }

  private void assertReceived(int generator, GeneratorLog log, long start) throws IOException {
    JsonObject facts =
        controller.of(Message.Hello.class).stream()
            .filter(hello -> hello.generator() == generator)
            .findFirst()
            .orElseThrow()
            .facts();
    assertThat(facts.get(HelloFacts.HOST).getAsString())
        .isEqualTo(generator == 0 ? "one:1099" : "two:1099");
    assertThat(facts.get(HelloFacts.REHEARSAL).getAsBoolean()).isFalse();
    assertThat(facts.get(HelloFacts.SCHEDULE_HASH).getAsString())
        .isEqualTo(Plan.read(json(0, 1, "open", 2)).hash());
    assertThat(facts.get(HelloFacts.HIGH_WATER).getAsLong()).isEqualTo(5000);
    assertThat(facts.get(HelloFacts.GENERATION).getAsLong()).isEqualTo(-1);
    List<Message.Second> seconds =
        controller.of(Message.Second.class).stream()
            .filter(second -> second.generator() == generator)
            .toList();
    Map<String, SlotCounts> sums = new TreeMap<>();
    for (int i = 0; i < seconds.size(); i++) {
      JsonObject line = seconds.get(i).line();
      assertThat(line.get("seq").getAsLong()).isEqualTo(i);
      long epochMillis = start / 1000 + line.get("to_ns").getAsLong() / 1_000_000;
      assertThat(line.get("epoch_ms").getAsLong()).isBetween(epochMillis, epochMillis + 60_000);
      assertThat(line.keySet()).contains("gc_ns", "clock_offset_ms", "clock_uncertainty_ms");
      assertThat(line.has("hlog_bytes")).isFalse();
      for (Message.Histogram one : seconds.get(i).histograms()) {
        sums.merge(one.tag(), one.counts(), SlotCounts::plus);
      }
    }
    ByteArrayOutputStream segments = new ByteArrayOutputStream();
    for (Message.Segments piece : controller.of(Message.Segments.class)) {
      if (piece.generator() == generator) {
        assertThat(piece.offset()).isEqualTo(segments.size());
        segments.write(piece.bytes());
      }
    }
    Path file = new BundleLayout(log.ledger().getParent().getParent()).segmentHistograms(generator);
    assertThat(segments.toByteArray()).isEqualTo(Files.readAllBytes(file));
    assertThat(totals(log, file)).isEqualTo(totals(sums)).isNotEmpty();
    Message.Final last =
        controller.of(Message.Final.class).stream()
            .filter(one -> one.generator() == generator)
            .findFirst()
            .orElseThrow();
    assertThat(last.segmentsBytes()).isEqualTo(segments.size());
    assertThat(last.line().get("clock_step_ms").getAsDouble()).isZero();
    assertThat(last.line().has("hlog_bytes")).isFalse();
    assertThat(controller.lastKinds()).containsEntry(generator, Message.Final.class);
  }

  private static Map<String, Long> totals(Map<String, SlotCounts> sums) {
    Map<String, Long> totals = new TreeMap<>();
    sums.forEach((tag, counts) -> totals.put(tag, counts.total()));
    return totals;
  }

  private static Map<String, Long> totals(GeneratorLog log, Path file) throws IOException {
    Map<String, Long> totals = new TreeMap<>();
    GeneratorLog of = new GeneratorLog(0, log.ledger(), log.extent(), log.end(), file, List.of());
    try (HistogramLines lines = HistogramLines.open(of, new ArrayList<>())) {
      for (; lines.peek() != null; lines.advance()) {
        HistogramLines.Interval one = lines.peek();
        totals.put(
            one.segment() + "/" + one.transaction() + "/" + one.series(), lines.decode().total());
      }
    }
    return totals;
  }

  /**
   * Both do the plan with the longer warm-up, and exchange more often while it may go on.
   * Mutations: take the order once the warm-up is over; each for itself; eager until the start
   * only.
   */
  @Test
  void generatorsProlongTheWarmUpTogether() throws Exception {
    List<Future<GeneratorLog>> runs =
        List.of(run(json(0, 2, "open", 2)), run(json(1, 2, "open", 2)));
    controller.startWhenReady(2);
    controller.set(RunKeys.PROLONGED_NANOS, "1000000000");
    Plan asked = Plan.read(json(0, 2, "open", 2));
    Plan plan = new Plan(asked.schedule().prolonged(1_000_000_000), asked.mix(), 1);
    long end = plan.schedule().endNanos();
    PlanSums sums = PlanSums.of(plan, new long[] {end, end});
    for (int generator = 0; generator < 2; generator++) {
      GeneratorLog log = runs.get(generator).get();
      assertThat(log.end().stopReason()).isEqualTo("schedule");
      assertThat(log.extent().prolongedNanos()).isEqualTo(1_000_000_000);
      assertThat(log.end().segments().get("hold"))
          .isEqualTo(new GeneratorLog.Span(2_000_000_000, 4_000_000_000L));
      assertThat(log.end().issued().all().number())
          .isEqualTo(sums.ofGenerator(generator).number())
          .isEqualTo(600);
      assertThat(log.end().issued().all().sameFingerprints(sums.ofGenerator(generator))).isTrue();
      assertThat(beatsBeforeSecond(generator, 1)).isPositive();
    }
  }

  /** Messages between two seconds of a generator, the later of which has a number from 0 on. */
  private long beatsBeforeSecond(int generator, int number) {
    long beats = 0;
    long seconds = 0;
    for (Message message : controller.of(Message.class)) {
      if (message.generator() == generator) {
        seconds += message instanceof Message.Second ? 1 : 0;
        beats += message instanceof Message.Beat && seconds == number ? 1 : 0;
      }
    }
    return beats;
  }

  /** As after a lost connection. Mutation: go on, a second ahead of all others. */
  @Test
  void aGeneratorThatLearnsTooLateThatTheWarmUpGoesOnStops() throws Exception {
    Future<GeneratorLog> run = run(json(0, 2, "closed", 120));
    controller.startWhenReady(1);
    controller.awaitMessages(Message.Second.class, 2);
    controller.set(RunKeys.PROLONGED_NANOS, "1000000000");
    assertThat(run.get().end().stopReason()).isEqualTo("prolonged-too-late");
    assertThat(run.get().extent().prolongedNanos()).isZero();
    assertThat(controller.of(Message.Trouble.class))
        .singleElement()
        .extracting(Message.Trouble::message)
        .isEqualTo("learned too late that the warm-up goes on");
  }

  /** Ends a long run in some way, and expects a reason. */
  private GeneratorLog endedBy(Runnable event, String reason) throws Exception {
    Future<GeneratorLog> run = run(json(0, 2, "closed", 120));
    controller.startWhenReady(1);
    controller.awaitMessages(Message.Second.class, 2);
    event.run();
    GeneratorLog log = run.get();
    assertThat(log.end().stopReason()).isEqualTo(reason);
    assertThat(lastLine(0).get("actual_end_ns").getAsLong()).isLessThan(100_000_000_000L);
    assertClosed(log);
    return log;
  }

  /** Mutation: take an order for a lost lease. */
  @Test
  void anOrderStopsTheRun() throws Exception {
    endedBy(() -> controller.set(RunKeys.STOP, "generator-lost"), "generator-lost");
    assertThat(controller.of(Message.Final.class)).hasSize(1);
  }

  @Test
  void anOrderBeforeTheStartEndsTheWait() throws Exception {
    Future<GeneratorLog> run = run(json(0, 2, "closed", 120));
    controller.awaitMessages(Message.Hello.class, 1);
    controller.set(RunKeys.STOP, "signal");
    assertThat(run.get().end().stopReason()).isEqualTo("stop");
    assertThat(run.get().end().issued().all().number()).isZero();
    assertThat(controller.of(Message.Final.class)).hasSize(1);
  }

  /**
   * Redis's clock is set while a generator waits for the start: to begin 30 s late, or to have
   * missed everything, would be blamed on the target. Mutation: trust the first measurement.
   */
  @ParameterizedTest
  @ValueSource(ints = {30, -30, 1})
  void aClockThatIsSetBeforeTheStartEndsTheRunWithItsReason(int seconds) throws Exception {
    AtomicLong aheadSeconds = new AtomicLong();
    TcpProxy.Ways ways = TcpProxy.Ways.answers(answer -> shifted(answer, aheadSeconds.get()));
    try (TcpProxy proxy = new TcpProxy(server.port(), () -> ways)) {
      JsonObject json = json(0, 2, "open", 2);
      String url = "redis://127.0.0.1:" + proxy.port();
      json.getAsJsonObject("hosts").addProperty("redis_url", url);
      Future<GeneratorLog> run = run(json);
      controller.awaitMessages(Message.Hello.class, 1);
      aheadSeconds.set(seconds);
      controller.startAt(seconds);
      assertNotBegun(run, "the clock of Redis at 127.0.0.1:%d was set by ".formatted(proxy.port()));
    }
  }

  /** A short answer arrives in one piece; the number of digits does not change. */
  private static byte[] shifted(byte[] answer, long aheadSeconds) {
    return TIME.matcher(new String(answer, StandardCharsets.ISO_8859_1))
        .replaceAll(
            time -> "*2\r\n\\$10\r\n" + (Long.parseLong(time.group(1)) + aheadSeconds) + "\r\n")
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Mutation: drop what was due before. */
  @Test
  void aStartThatHasPassedEndsTheRunWithItsReason() throws Exception {
    Future<GeneratorLog> run = run(json(0, 2, "open", 2));
    controller.awaitMessages(Message.Hello.class, 1);
    controller.startAt(-30);
    assertNotBegun(run, "the agreed start was ");
  }

  private void assertNotBegun(Future<GeneratorLog> run, String reason) throws Exception {
    assertThat(run.get().end().stopReason()).isEqualTo("clock-set");
    assertThat(run.get().end().issued().all().number()).isZero();
    assertThat(controller.of(Message.Trouble.class))
        .singleElement()
        .satisfies(
            trouble -> {
              assertThat(trouble.message()).startsWith(reason);
              assertThat(trouble.exit()).isEqualTo(2);
            });
    assertThat(controller.of(Message.Final.class)).hasSize(1);
  }

  /** Mutation: go on while nobody answers. */
  @Test
  void withoutRedisTheRunEnds() throws Exception {
    endedBy(server::close, "lease-lost");
  }

  @Test
  void withoutItsControllerTheRunEnds() throws Exception {
    endedBy(
        () -> {
          try {
            controller.die();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        "controller-lost");
  }

  /** A host without the wanted secret, with a folder of the run, and one that is ready. */
  @Test
  void aRehearsalReportsWhatIsWrong() throws Exception {
    JsonObject ready = json(0, 2, "open", 2);
    assertThat(Rehearsal.perform(Member.read(ready), ready, "5.6.3")).isEmpty();
    JsonObject facts = controller.of(Message.Hello.class).get(0).facts();
    assertThat(facts.get(HelloFacts.REHEARSAL).getAsBoolean()).isTrue();
    assertThat(facts.get(HelloFacts.SCHEDULE_HASH).getAsString())
        .isEqualTo(Plan.read(ready).hash());

    JsonObject secret = json(1, 2, "open", 2);
    secret.getAsJsonObject("target").addProperty("password-env", "SHARDLOAD_TEST_NOT_SET");
    assertThat(Rehearsal.perform(Member.read(secret), secret, "5.6.3")).isNotEmpty();
    // As another load host with the same folder of runs, or the controller, has made it.
    Rehearsal.perform(Member.read(ready), ready, "5.6.3");
    JsonObject key = json(0, 2, "open", 2);
    key.getAsJsonObject("load").addProperty("wrokers", 1);
    Rehearsal.perform(Member.read(key), key, "5.6.3");
    assertThat(controller.of(Message.Trouble.class))
        .containsExactly(
            new Message.Trouble(
                1,
                "target.password-env",
                "environment variable SHARDLOAD_TEST_NOT_SET is not set (without a password: -o"
                    + " target.password-env=) on load host two:1099",
                1),
            new Message.Trouble(
                0,
                "run.id",
                directory.resolve("host-0")
                    + " exists on this host: the controller or another load host keeps its runs in"
                    + " this folder; start the load host with ./shardload generator --runs DIR",
                1),
            new Message.Trouble(
                0, "load.wrokers", "unknown option \"wrokers\"; did you mean \"workers\"?", 1));
  }
}
