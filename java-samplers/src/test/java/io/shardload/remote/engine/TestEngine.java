package io.shardload.remote.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A real JMeter in server mode, on two ports of a loopback address of its own. */
public final class TestEngine implements AutoCloseable {
  private static final long START_MILLIS = 60_000;

  private final Process process;
  private final String host;
  private final int port;
  private final Path folder;

  private TestEngine(Process process, String host, int port, Path folder) {
    this.process = process;
    this.host = host;
    this.port = port;
    this.folder = folder;
  }

  /** The JMeter that the launcher assembles. */
  public static Path home() {
    Path home = Path.of("..", ".shardload", "jmeter").toAbsolutePath().normalize();
    if (!Files.isRegularFile(home.resolve("bin/jmeter"))) {
      throw new IllegalStateException(
          "no JMeter in " + home + ": \"./shardload targets\" assembles it");
    }
    return home;
  }

  /** Begins to start an engine in a folder; its key store may be relative to that. */
  static TestEngine start(String host, Path folder, Path keyStore) {
    int port = freePorts(host);
    try {
      Files.createDirectories(folder);
      ProcessBuilder builder =
          new ProcessBuilder(
              home().resolve("bin/jmeter").toString(),
              "-Djava.rmi.server.hostname=" + host,
              "-Dserver_port=" + port,
              "-Jserver.rmi.localport=" + (port + 1),
              "-Jserver.rmi.ssl.keystore.file=" + keyStore,
              "-Lorg.apache.jmeter.engine=WARN",
              "-s",
              "-j",
              "engine.log");
      builder.environment().putAll(Map.of("HEAP", "-Xmx200m"));
      Process process =
          builder
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("engine.out").toFile())
              .start();
      return new TestEngine(process, host, port, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until an engine answers. */
  TestEngine awaitReady(EnginePing ping) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_MILLIS * 1_000_000;
    while (ping.trouble(host, port).isPresent() || ping.trouble(host, port + 1).isPresent()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IllegalStateException(Files.readString(folder.resolve("engine.out")));
      }
      Thread.sleep(100);
    }
    return this;
  }

  String address() {
    return host + ":" + port;
  }

  Process process() {
    return process;
  }

  Path folder() {
    return folder;
  }

  /** Sends a signal, such as STOP. */
  static void signal(String name, long pid) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns a port that is free on an address, and so is the next one. */
  public static int freePorts(String host) {
    for (int i = 0; i < 100; i++) {
      try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getByName(host));
          ServerSocket second =
              new ServerSocket(first.getLocalPort() + 1, 1, InetAddress.getByName(host))) {
        return second.getLocalPort() - 1;
      } catch (IOException | IllegalArgumentException e) {
        // The next one is taken: try others.
      }
    }
    throw new IllegalStateException("no free ports on " + host);
  }

  /** Writes a test plan whose only thread sleeps for the milliseconds of the property "sleep". */
  static Path plan(Path folder, String listener) throws IOException {
    String name = "org.apache.jmeter.protocol.java.test.JavaTest";
    List<String> lines =
        List.of(
            "<jmeterTestPlan version=\"1.2\" properties=\"5.0\"><hashTree>",
            "<TestPlan guiclass=\"TestPlanGui\" testclass=\"TestPlan\" testname=\"plan\"/><hashTree>",
            "<ThreadGroup guiclass=\"ThreadGroupGui\" testclass=\"ThreadGroup\" testname=\"group\">",
            "<stringProp name=\"ThreadGroup.num_threads\">1</stringProp>",
            "<elementProp name=\"ThreadGroup.main_controller\" elementType=\"LoopController\">",
            "<boolProp name=\"LoopController.continue_forever\">false</boolProp>",
            "<intProp name=\"LoopController.loops\">1</intProp></elementProp></ThreadGroup>",
            "<hashTree><JavaSampler guiclass=\"JavaTestSamplerGui\" testclass=\"JavaSampler\" testname=\"sleep\">",
            "<elementProp name=\"arguments\" elementType=\"Arguments\">",
            "<collectionProp name=\"Arguments.arguments\">",
            "<elementProp name=\"Sleep_Time\" elementType=\"Argument\">",
            "<stringProp name=\"Argument.name\">Sleep_Time</stringProp>",
            "<stringProp name=\"Argument.value\">${__P(sleep,1)}</stringProp></elementProp>",
            "<elementProp name=\"Sleep_Mask\" elementType=\"Argument\">",
            "<stringProp name=\"Argument.name\">Sleep_Mask</stringProp>",
            "<stringProp name=\"Argument.value\">0</stringProp></elementProp>",
            "</collectionProp></elementProp>",
            "<stringProp name=\"classname\">" + name + "</stringProp></JavaSampler>",
            "<hashTree/>" + listener + "</hashTree></hashTree></hashTree></jmeterTestPlan>");
    return Files.write(folder.resolve("plan.jmx"), lines);
  }
}
