package io.shardload.remote.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A controller in a process and a folder of its own, which reports what it saw as text. */
final class Controller {
  private Controller() {}

  /** Probes, starts a short test on all, and prints both answers and its listening sockets. */
  public static void main(String[] arguments) throws IOException {
    List<String> hosts = List.of(arguments[1].split(","));
    try (Engines engines = new Engines(hosts, Path.of(arguments[0]), KeyStores.DEFAULT)) {
      System.out.println("probe " + engines.probe());
      List<Map<String, String>> properties = new ArrayList<>();
      hosts.forEach(host -> properties.add(Map.of("sleep", "1")));
      System.out.println("start " + engines.start(Path.of("plan.jmx"), properties));
      System.out.println("listening " + Sockets.listening(ProcessHandle.current()));
    }
    System.exit(0);
  }

  static String run(Path folder, String hosts) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Controller.class.getName(),
                TestEngine.home().toString(),
                hosts)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }
}
