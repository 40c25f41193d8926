package io.shardload.remote.supervisor;

import io.shardload.PlainOutput;
import io.shardload.Version;
import io.shardload.config.ConfigException;
import io.shardload.remote.engine.KeyStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The verb {@code generator}: makes this machine a load host. */
public final class GeneratorMain {
  private static final String HELP =
      """
      usage: shardload generator [--listen ADDRESS[:PORT]] [--keys FILE] [--heap SIZE] [--runs DIR]

      Makes this machine a load host: runs an engine that a controller drives, until Ctrl-C.
      Example: shardload generator --listen 10.0.0.7 --heap 4g

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

  /**
   * What the command line asks for.
   *
   * @param root the folder that shardload was unpacked or checked out into
   * @param jmeterHome where JMeter is
   * @param keyStore the key store, wherever it lies
   * @param runs where the files of runs go
   * @param heap of the engine, such as {@code 4g}; empty for its default
   */
  record Settings(
      ListenAddress address, Path root, Path jmeterHome, Path keyStore, Path runs, String heap) {
    private static final List<String> OPTIONS =
        List.of("--listen", "--keys", "--heap", "--runs", "--help", "--version");

    /** Reads arguments; relative paths belong to the folder of the caller. */
    static Settings parse(List<String> arguments, Path root, Path jmeterHome) {
      ListenAddress address = new ListenAddress("127.0.0.1", 1099);
      Path keyStore = root.resolve(KeyStores.DEFAULT);
      Path runs = root.resolve("runs");
      String heap = "";
      for (int i = 0; i < arguments.size(); i += 2) {
        String option = arguments.get(i);
        if (!OPTIONS.contains(option)) {
          throw ConfigException.unknown("", "option", option, OPTIONS);
        }
        if (i + 1 == arguments.size()) {
          throw new ConfigException(option, option + " needs a value");
        }
        String value = arguments.get(i + 1);
        switch (option) {
          case "--listen" -> address = ListenAddress.parse(value);
          case "--keys" -> keyStore = Path.of(value).toAbsolutePath().normalize();
          case "--runs" -> runs = Path.of(value).toAbsolutePath().normalize();
          default -> heap = heap(value);
        }
      }
      return new Settings(address, root, jmeterHome, keyStore, runs, heap);
    }

    private static String heap(String text) {
      if (!text.matches("[1-9][0-9]*[kmgKMG]")) {
        throw new ConfigException(
            "--heap", "--heap: must be a size such as 4g or 512m, not " + text);
      }
      return text;
    }

    /** Refuses what an engine could not work with. */
    void check() {
      address.check();
      KeyStores.sslContext(keyStore);
      try {
        Files.createDirectories(
            runs,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.delete(Files.createTempFile(runs, "probe", ""));
      } catch (NoSuchFileException e) {
        throw new ConfigException("--runs", "cannot make the folder " + runs);
      } catch (IOException e) {
        throw new ConfigException("--runs", "cannot write to %s: %s".formatted(runs, e));
      }
    }

    /**
     * Returns the working directory of an engine, from which the key store has the path that the
     * controller's has from its own: JMeter sends that path to the controller.
     */
    Path engineFolder() throws IOException {
      Path usual = root.resolve(KeyStores.DEFAULT);
      if (Files.exists(usual) && Files.isSameFile(usual, keyStore)) {
        return root;
      }
      Path folder = runs.resolve(".engine");
      Path link = folder.resolve(KeyStores.DEFAULT);
      Files.createDirectories(link.getParent());
      Files.deleteIfExists(link);
      Files.createSymbolicLink(link, keyStore);
      return folder;
    }
  }
}
