package io.shardload.remote.supervisor;

import io.shardload.Daemons;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One engine process, and a guard that kills it should this process be gone. */
final class EngineProcess {
  private static final int LAST_LINES = 12;
  // A child of the engine may keep the pipe open, so the wait for its end is bounded.
  private static final long LAST_OUTPUT_MILLIS = 1_000;

  // It waits on a pipe, which the operating system closes even after kill -9 of this process. The
  // process id may have another owner by then, so the command line must be the engine's.
  private static final String GUARD =
      "trap '' HUP INT TERM; read -r dismissed && exit 0; "
          + "words=$(tr '\\0' ' ' <\"/proc/$1/cmdline\" || ps -o args= -p \"$1\"); "
          + "case $words in *\"$2\"*) kill -9 \"$1\" ;; esac";

  private final Process process;
  private final Process guard;
  private final Thread reader;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Deque<String> last = new ArrayDeque<>();

  private EngineProcess(Process process, Process guard) {
    this.process = process;
    this.guard = guard;
    reader = Daemons.start(this::read, "engine-output");
  }

  static EngineProcess start(GeneratorMain.Settings settings) throws IOException {
    Path log = settings.runs().resolve("engine.log");
    if (Files.exists(log)) {
      Path previous = log.resolveSibling("engine.previous.log");
      Files.move(log, previous, StandardCopyOption.REPLACE_EXISTING);
    }
    ProcessBuilder builder =
        new ProcessBuilder(command(settings))
            .directory(settings.engineFolder().toFile())
            .redirectErrorStream(true);
    if (!settings.heap().isEmpty()) {
      Map<String, String> environment = builder.environment();
      environment.put("HEAP", "-Xms%s -Xmx%s".formatted(settings.heap(), settings.heap()));
    }
    Process process = builder.start();
    process.getOutputStream().close();
    String mark = mark(settings.address());
    Process guard =
        new ProcessBuilder("sh", "-c", GUARD, "guard", Long.toString(process.pid()), mark)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new EngineProcess(process, guard);
  }

  private static String mark(ListenAddress address) {
    return "-Dshardload.engine=" + address;
  }

  /** JMeter's server mode. Property values are kept out of its log. */
  static List<String> command(GeneratorMain.Settings settings) {
    ListenAddress address = settings.address();
    List<String> command = new ArrayList<>();
    command.add(settings.jmeterHome().resolve("bin/jmeter").toString());
    command.add(mark(address));
    command.add("-Dshardload.runs=" + settings.runs());
    command.add("-Djava.awt.headless=true");
    command.add("-Djava.rmi.server.hostname=" + address.host());
    command.add("-Dserver_port=" + address.port());
    command.add("-Jserver.rmi.localport=" + (address.port() + 1));
    command.add("-Jserver.rmi.ssl.disable=false");
    command.add("-Jserver.rmi.ssl.keystore.file=" + io.shardload.remote.engine.KeyStores.DEFAULT);
    command.add("-Lorg.apache.jmeter.engine=WARN");
    command.add("-j");
    command.add(settings.runs().resolve("engine.log").toString());
    command.add("-s");
    return command;
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = in.readLine()) != null) {
        lines.add(line);
        synchronized (last) {
          last.add(line);
          if (last.size() > LAST_LINES) {
            last.remove();
          }
        }
      }
    } catch (IOException e) {
      // It has ended.
    }
  }

  /** Returns the next line of its output, or null if none comes within a moment. */
  String nextLine(long millis) throws InterruptedException {
    return lines.poll(millis, TimeUnit.MILLISECONDS);
  }

  /** The last lines of its output. */
  List<String> lastLines() {
    synchronized (last) {
      return List.copyOf(last);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Whether the engine runs or has printed lines that {@link #nextLine} has not returned yet. */
  boolean isAlive() throws InterruptedException {
    if (process.isAlive()) {
      return true;
    }
    reader.join(LAST_OUTPUT_MILLIS);
    return !lines.isEmpty();
  }

  void kill() {
    process.destroyForcibly();
  }

  /** Asks it to end in order, and kills it when it does not. */
  void end(long patienceSeconds) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
      kill();
    }
  }

  /** Waits for its end and returns its exit code. */
  int close() throws InterruptedException {
    int code = process.waitFor();
    try (var pipe = guard.getOutputStream()) {
      pipe.write("dismissed\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It is gone already.
    }
    return code;
  }
}
