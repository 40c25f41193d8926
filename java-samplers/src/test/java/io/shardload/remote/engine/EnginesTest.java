package io.shardload.remote.engine;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.embedded.EmbeddedRedis;
import io.shardload.remote.engine.Probe.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jorphan.collections.HashTree;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against real JMeters; they share what they need, since one takes seconds to start. */
class EnginesTest {
  private static final Map<String, String> LONG = Map.of("sleep", "600000");
  private static final Map<String, String> SHORT = Map.of("sleep", "1");

  @TempDir static Path folder;

  private static Path keyStore;
  private static EnginePing ping;
  private static TestEngine one;
  private static TestEngine two;
  private static Path plan;

  private final Engines engines =
      new Engines(List.of(one.address(), two.address()), TestEngine.home(), keyStore);

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    KeyStores.create(folder.resolve("keys"));
    keyStore = folder.resolve("keys").resolve(KeyStores.FILE);
    ping = new EnginePing(KeyStores.sslContext(keyStore));
    plan = TestEngine.plan(folder, "");
    one = TestEngine.start("127.0.0.2", folder.resolve("one"), keyStore);
    two = TestEngine.start("127.0.0.3", folder.resolve("two"), keyStore);
    one.awaitReady(ping);
    two.awaitReady(ping);
  }

  @AfterAll
  static void end() {
    one.close();
    two.close();
  }

  @BeforeEach
  void bothAreIdle() {
    await(() -> engines.probe().values().stream().allMatch(Probe::isIdle));
  }

  @AfterEach
  void stop() {
    engines.stop(List.of(0, 1));
    engines.close();
  }

  @Test
  void eachEngineGetsItsOwnProperties() {
    assertThat(engines.start(plan, List.of(LONG, SHORT))).isEmpty();
    await(() -> engines.probe().get(1).isIdle());
    assertThat(engines.probe().get(0).state()).isEqualTo(State.BUSY);
    engines.stop(List.of(0));
    assertThat(engines.probe().get(0)).isEqualTo(Probe.IDLE);
    assertThat(one.process().isAlive()).isTrue();
  }

  @Test
  void aBusyEngineIsLeftAloneAndTheOthersAreStopped() {
    try (Engines colleague = new Engines(List.of(one.address()), TestEngine.home(), keyStore)) {
      assertThat(colleague.start(plan, List.of(LONG))).isEmpty();
      assertThat(engines.start(plan, List.of(LONG, LONG)))
          .isEqualTo(Map.of(0, "another test runs there"));
      assertThat(states(engines)).containsExactly(State.BUSY, State.IDLE);
      engines.stop(List.of(0));
      assertThat(states(engines)).containsExactly(State.BUSY, State.IDLE);
      colleague.stop(List.of(0));
      assertThat(states(engines)).containsExactly(State.IDLE, State.IDLE);
    }
  }

  /** JMeter loses its first request in the same way while it creates the thread. */
  @Test
  void aTestThatIgnoresTheFirstInterruptStopsAndItsEngineContinues() throws IOException {
    String script =
        "new File('asleep').createNewFile();try { Thread.sleep(600000) } catch"
            + " (InterruptedException e) { Thread.sleep(600000) }";
    String text = Files.readString(plan).replace("${__P(sleep,1)}", "${__groovy(" + script + ")}");
    Path deaf = Files.writeString(folder.resolve("deaf.jmx"), text);
    assertThat(engines.start(deaf, List.of(SHORT, SHORT))).isEmpty();
    await(() -> Stream.of(one, two).allMatch(e -> Files.exists(e.folder().resolve("asleep"))));
    engines.stop(List.of(0, 1));
    assertThat(states(engines)).containsExactly(State.IDLE, State.IDLE);
  }

  @Test
  void oneDeadHostAmongThemIsNamed() {
    String nobody = "127.0.0.4:" + TestEngine.freePorts("127.0.0.4");
    try (Engines list = new Engines(List.of(one.address(), nobody), TestEngine.home(), keyStore)) {
      assertThat(list.start(plan, List.of(LONG, LONG)))
          .isEqualTo(Map.of(1, "nothing listens there: is \"shardload generator\" running?"));
      assertThat(states(list)).containsExactly(State.IDLE, State.DEAD);
    }
  }

  @Test
  void aCheckNamesEveryHostAndTheRedisThatWouldNotTakePart() {
    String nobody = "127.0.0.4:" + TestEngine.freePorts("127.0.0.4");
    EmbeddedRedis redis = EmbeddedRedis.start("right");
    try {
      assertThat(check(redis.url(), one.address(), nobody, two.address()))
          .hasSize(2)
          .startsWith(
              "load host "
                  + nobody
                  + ": nothing listens there: is \"shardload generator\" running?")
          .last()
          .asString()
          .startsWith("target.redis: ");
      assertThat(check("", one.address(), two.address())).isEmpty();
    } finally {
      redis.stop();
    }
  }

  private static List<String> check(String redisUrl, String... hosts) {
    JsonObject request = new JsonObject();
    request.add("list", Json.strings(List.of(hosts)));
    request.addProperty("redis_url", redisUrl);
    request.addProperty("redis_password_env", "");
    JsonObject answer = HostsCheck.run(request, TestEngine.home(), keyStore);
    return answer.getAsJsonArray("troubles").asList().stream()
        .map(JsonElement::getAsString)
        .toList();
  }

  @Test
  void whatIsWrongForGoodIsRefused() {
    KeyStores.create(folder.resolve("other"));
    Path other = folder.resolve("other").resolve(KeyStores.FILE);
    try (Engines foreign = new Engines(List.of(one.address()), TestEngine.home(), other)) {
      assertThat(foreign.probe().get(0))
          .isEqualTo(
              Probe.refused(
                  "its key store differs from this controller's: copy the controller's key store to"
                      + " the load host"));
    }
    try (Engines unknown = new Engines(List.of("no.such.host.invalid"), TestEngine.home(), other)) {
      assertThat(unknown.probe().get(0)).isEqualTo(Probe.refused("unknown host name"));
    }
    assertThat(refusalOf(() -> new Engines(List.of("a b"), TestEngine.home(), other)))
        .hasMessage("\"a b\" is not HOST or HOST:PORT");
  }

  @Test
  void aStoppedProcessHoldsUpNoOther() {
    TestEngine.signal("STOP", one.process().pid());
    try {
      Map<Integer, Probe> answers = engines.probe();
      assertThat(answers.get(0).state()).isEqualTo(State.DEAD);
      assertThat(answers.get(0).why()).contains("it hangs");
      assertThat(answers.get(1)).isEqualTo(Probe.IDLE);
      assertThat(engines.start(plan, List.of(LONG, LONG)).keySet()).containsExactly(0);
    } finally {
      TestEngine.signal("CONT", one.process().pid());
    }
    assertThat(states(engines)).containsExactly(State.IDLE, State.IDLE);
  }

  /** It stops in the middle of the call, so that the test arrives when it goes on. */
  @Test
  void anEngineThatTakesAGivenUpTestEnds() throws Exception {
    try (TestEngine three = TestEngine.start("127.0.0.4", folder.resolve("three"), keyStore)) {
      three.awaitReady(ping);
      int port = Integer.parseInt(three.address().split(":", -1)[1]);
      RemoteEngine engine = new RemoteEngine("127.0.0.4", port, ping, keyStore);
      CountDownLatch sent = new CountDownLatch(1);
      HashTree tree = Engines.TestPlans.load(plan, TestEngine.home());
      tree.add(new StoppingElement(three.process().pid(), sent));
      RemoteEngine.Order order = new RemoteEngine.Order();
      CompletableFuture<Optional<Probe>> answer =
          CompletableFuture.supplyAsync(() -> engine.start(tree, LONG, order));
      assertThat(sent.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(order.giveUp()).isTrue();
      TestEngine.signal("CONT", three.process().pid());
      assertThat(answer.get(30, TimeUnit.SECONDS)).contains(Probe.dead("given up"));
      assertThat(three.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aPlanThatCallsTheControllerBackIsRefused() throws IOException {
    Path listening =
        TestEngine.plan(
            Files.createDirectories(folder.resolve("listening")),
            "<ResultCollector guiclass=\"SimpleDataWriter\" testclass=\"ResultCollector\""
                + " testname=\"all samples\"/><hashTree/>");
    assertThat(refusalOf(() -> engines.start(listening, List.of(LONG, LONG))))
        .hasMessageContaining("remove or disable \"all samples\"");
    assertThat(states(engines)).containsExactly(State.IDLE, State.IDLE);
  }

  @Test
  void eachSideOpensItsOwnCopyAndTheControllerListensNowhere() throws Exception {
    Path mine = folder.resolve("controller");
    Path theirs = folder.resolve("host");
    copyKeys(mine);
    copyKeys(theirs);
    Files.copy(plan, mine.resolve("plan.jmx"));
    try (TestEngine host = TestEngine.start("127.0.0.5", theirs, KeyStores.DEFAULT)) {
      host.awaitReady(ping);
      assertThat(Controller.run(mine, host.address()))
          .contains("probe {0=Probe[state=IDLE, why=]}", "start {}", "listening []");
      String[] address = host.address().split(":", -1);
      assertThat(Sockets.listening(host.process().toHandle()))
          .isEqualTo(Set.of(host.address(), address[0] + ":" + (Integer.parseInt(address[1]) + 1)));
      assertThat(Files.readString(theirs.resolve("engine.log"))).doesNotContain("sleep");
    }
  }

  private static void copyKeys(Path to) throws IOException {
    Path copy = to.resolve(KeyStores.DEFAULT);
    Files.createDirectories(copy.getParent());
    Files.copy(keyStore, copy, StandardCopyOption.COPY_ATTRIBUTES);
  }

  private static List<State> states(Engines engines) {
    return engines.probe().values().stream().map(Probe::state).toList();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  /** Stops the engine's process while it is sent, and arrives as something that it knows. */
  private static final class StoppingElement extends ConfigTestElement {
    private static final long serialVersionUID = 1L;
    private final transient CountDownLatch sent;
    private final long pid;

    StoppingElement(long pid, CountDownLatch sent) {
      this.pid = pid;
      this.sent = sent;
    }

    private Object writeReplace() {
      TestEngine.signal("STOP", pid);
      sent.countDown();
      return new ConfigTestElement();
    }
  }
}
