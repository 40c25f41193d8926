package io.shardload.remote.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.remote.engine.Engines;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.engine.Probe;
import io.shardload.remote.engine.Sockets;
import io.shardload.remote.engine.TestEngine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The supervisor as a process, over scripts that stand for engines and over one real engine. */
class SupervisorTest {
  @TempDir Path folder;

  private final int port = TestEngine.freePorts("127.0.0.6");
  private final List<Process> supervisors = new ArrayList<>();

  @BeforeEach
  void createKeys() {
    KeyStores.create(folder.resolve(".shardload/keys"));
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process supervisor : supervisors) {
      List<ProcessHandle> all = supervisor.descendants().toList();
      supervisor.destroyForcibly().waitFor();
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aRealEngineListensOnItsAddressAloneIsReplacedAndDiesWithItsSupervisor() throws Exception {
    Process supervisor = start(TestEngine.home());
    await(() -> output().contains("listening on 127.0.0.6:" + port));
    ProcessHandle engine = engine(supervisor).orElseThrow();
    assertThat(Sockets.listening(supervisor.toHandle()))
        .isEqualTo(Set.of("127.0.0.6:" + port, "127.0.0.6:" + (port + 1)));
    assertThat(engine.info().arguments().orElseThrow()).doesNotContain("changeit");
    Path keyStore = folder.resolve(KeyStores.DEFAULT);
    assertThat(probe(keyStore).why()).contains("its key store is at another path");
    engine.destroyForcibly();
    await(() -> output().split("listening on", -1).length > 2);
    ProcessHandle next = engine(supervisor).orElseThrow();
    assertThat(next.pid()).isNotEqualTo(engine.pid());
    assertThat(output()).contains("engine ended (code 137)\n");
    supervisor.destroyForcibly().waitFor();
    await(() -> !next.isAlive());
  }

  @Test
  void theNextEngineStartsWhenOneHasEndedItsRun() throws Exception {
    Path home =
        home("echo 'shardload: begun r1'; echo 'shardload: alive'; echo 'shardload: ended r1'");
    start(home);
    await(() -> output().split("run r1 ended", -1).length > 2);
    assertThat(output())
        .startsWith("run r1 begun\nrun r1 ended\nengine ended before it listened (code 0)\n");
  }

  @Test
  void anEngineEndsInOrderWithItsSupervisor() throws Exception {
    Path home =
        home(
            "trap 'sleep 1; touch \"$0.settled\"; exit 0' TERM; touch \"$0.ready\";"
                + " while :; do sleep 0.1; done");
    Process supervisor = start(home);
    await(() -> Files.exists(home.resolve("bin/jmeter.ready")));
    supervisor.destroy();
    assertThat(supervisor.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(home.resolve("bin/jmeter.settled")).exists();
    assertThat(output()).endsWith("stopped\n");
  }

  @Test
  void aHangingRunIsKilledAndTheNextEngineStarts() throws Exception {
    Path home = home("echo 'shardload: begun r1'; trap '' TERM; while :; do sleep 0.1; done");
    assertThat(killed(home, 1, 100)).contains("engine killed: run r1 sent no message for 1 s");
  }

  @Test
  void anEngineThatStaysAfterItsRunIsKilled() throws Exception {
    Path home =
        home("echo 'shardload: begun r1'; echo 'shardload: ended r1'; while :; do sleep 0.1; done");
    assertThat(killed(home, 100, 1))
        .contains("engine killed: it did not exit within 1 s after the end of run r1");
  }

  @Test
  void anEngineThatDoesNotStartSaysWhy() throws Exception {
    start(home("echo 'no heap for me' >&2; exit 7"));
    await(() -> output().contains("engine ended before it listened (code 7)\n  no heap for me\n"));
  }

  @Test
  void wrongUseIsOneLine() throws Exception {
    Process supervisor = start(home(""), "--listen", "0.0.0.0");
    assertThat(supervisor.waitFor()).isEqualTo(1);
    assertThat(output()).startsWith("shardload: --listen 0.0.0.0: an engine").hasLineCount(1);
  }

  /** Runs in this process, for limits that a test can wait for. */
  private String killed(Path home, long silenceSeconds, long exitSeconds) throws Exception {
    ByteArrayOutputStream console = new ByteArrayOutputStream();
    GeneratorMain.Settings settings =
        GeneratorMain.Settings.parse(List.of("--listen", "127.0.0.6:" + port), folder, home);
    settings.check();
    Supervisor supervisor =
        new Supervisor(
            settings,
            new PrintStream(console, true, StandardCharsets.UTF_8),
            silenceSeconds,
            exitSeconds);
    Thread thread =
        new Thread(
            () -> {
              try {
                supervisor.run();
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.start();
    // The second time it is the next engine.
    await(() -> console.toString(StandardCharsets.UTF_8).split("run r1 begun", -1).length > 2);
    supervisor.stop();
    thread.join();
    return console.toString(StandardCharsets.UTF_8);
  }

  private Probe probe(Path keyStore) {
    try (Engines engines = new Engines(List.of("127.0.0.6:" + port), TestEngine.home(), keyStore)) {
      return engines.probe().get(0);
    }
  }

  private Path home(String script) throws IOException {
    Path home = folder.resolve("home");
    Files.createDirectories(home.resolve("bin"));
    Path program = Files.writeString(home.resolve("bin/jmeter"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return home;
  }

  private Process start(Path home, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Dshardload.root=" + folder,
                "-Dshardload.jmeter=" + home,
                GeneratorMain.class.getName(),
                "--listen",
                "127.0.0.6:" + port,
                "--heap",
                "200m"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    supervisors.add(process);
    return process;
  }

  private static Optional<ProcessHandle> engine(Process supervisor) {
    Stream<ProcessHandle> children = supervisor.toHandle().children();
    return children
        .filter(
            child ->
                String.join(" ", child.info().arguments().orElse(new String[0]))
                    .contains("-Dshardload.runs="))
        .findFirst();
  }

  private String output() {
    try {
      return Files.readString(folder.resolve("output"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(50);
    }
  }
}
