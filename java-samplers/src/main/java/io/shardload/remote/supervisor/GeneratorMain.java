package io.shardload.remote.supervisor;

import io.shardload.PlainOutput;
import io.shardload.Version;
import io.shardload.config.ConfigException;
import io.shardload.remote.engine.KeyStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The verb {@code generator}: makes this machine a load host. */
public final class GeneratorMain {
  private static final String HELP =
      """
      usage: shardload generator [--listen ADDRESS[:PORT]] [--keys FILE] [--heap SIZE] [--runs DIR]

      Makes this machine a load host: runs an engine that a controller drives, until Ctrl-C.

        --listen ADDRESS[:PORT]  an address of this machine that the controller reaches (default: 127.0.0.1:1099);
                                 the engine listens there on PORT and PORT+1, always with TLS
        --keys FILE              the key store, the same as the controller's (default: %s)
        --heap SIZE              heap of the engine, such as 4g (default: 1g)
        --runs DIR               where the files of runs go (default: runs)
        --version                show version and commit
        --help                   show this text

      Secrets of the target are environment variables of this process, named as in the target file.
      Anyone who has the key store can run any code here: see docs/load-hosts.md.
      """
          .formatted(KeyStores.DEFAULT);

  private GeneratorMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.setOut(PlainOutput.to(System.out));
    System.setErr(PlainOutput.to(System.err));
    List<String> words = List.of(arguments);
    if (words.contains("--help") || words.contains("-h")) {
      System.out.print(HELP);
    } else if (words.contains("--version")) {
      System.out.println(version(property("root")));
    } else {
      run(words);
    }
  }

  /**
   * Version and commit, which {@code package} writes into its archive; a checkout has no such file.
   */
  static String version(Path root) throws IOException {
    Path file = root.resolve("VERSION");
    return Files.isRegularFile(file)
        ? Files.readString(file).strip()
        : "shardload " + Version.current();
  }

  private static void run(List<String> words) throws IOException, InterruptedException {
    Supervisor supervisor;
    try {
      Settings settings = Settings.parse(words, property("root"), property("jmeter"));
      settings.check();
      supervisor = new Supervisor(settings, System.out);
    } catch (ConfigException e) {
      System.err.println("shardload: " + e.getMessage());
      System.exit(1);
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(supervisor), "shardload-end"));
    supervisor.run();
  }

  private static void end(Supervisor supervisor) {
    try {
      supervisor.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A folder that the start script names. */
  private static Path property(String name) {
    return Path.of(System.getProperty("shardload." + name, ".")).toAbsolutePath().normalize();
  }
}
