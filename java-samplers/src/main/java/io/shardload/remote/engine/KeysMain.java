package io.shardload.remote.engine;

import io.shardload.config.ConfigException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** The verb {@code keys}: makes the key material of a controller and its load hosts. */
public final class KeysMain {
  private static final Path DEFAULT_FOLDER = KeyStores.DEFAULT.getParent();
  private static final List<String> OPTIONS = List.of("--folder", "--force", "--help");
  private static final String HELP =
      """
      usage: shardload keys [--folder DIR] [--force]

      Creates the key store that the controller and all load hosts share, once.
      Example: shardload keys --folder /etc/shardload/keys

        --folder DIR  where the files go (default: %s)
        --force       replace existing files
        --help        show this text
      """
          .formatted(DEFAULT_FOLDER);

  private KeysMain() {}

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.out, System.err));
  }

  /** Returns the exit code: 0, or 1 for wrong use. */
  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    try {
      Path folder = Path.of(System.getProperty("shardload.root", "")).resolve(DEFAULT_FOLDER);
      boolean force = false;
      for (int i = 0; i < arguments.size(); i++) {
        switch (arguments.get(i)) {
          case "--help", "-h" -> {
            out.print(HELP);
            return 0;
          }
          case "--force" -> force = true;
          case "--folder" -> folder = Path.of(value(arguments, ++i, "--folder"));
          default -> throw ConfigException.unknown("", "option", arguments.get(i), OPTIONS);
        }
      }
      KeyStores.KeyFiles.create(folder, force);
      tell(folder, out);
      return 0;
    } catch (ConfigException e) {
      err.println("shardload: " + e.getMessage());
      return 1;
    }
  }

  private static String value(List<String> arguments, int index, String option) {
    if (index == arguments.size()) {
      throw new ConfigException(option, option + " needs a value");
    }
    return arguments.get(index);
  }

  private static void tell(Path folder, PrintStream out) {
    out.printf(
        """
        Created in %s:
          %s  the key store of the controller and of every load host
          %s, %s  the same key for a Redis with TLS
        Fingerprint: %s

        Protect these files like a root password: anyone who has them can run any code on every load host that uses them.
        Give each load host the key store. FOLDER is where shardload is unpacked there:
          ssh HOST mkdir -p -m 700 FOLDER/.shardload/keys
          scp -p %s HOST:FOLDER/%s
        """,
        folder,
        KeyStores.FILE,
        KeyStores.CERTIFICATE_FILE,
        KeyStores.KEY_FILE,
        KeyStores.fingerprint(folder.resolve(KeyStores.FILE)),
        folder.resolve(KeyStores.FILE),
        KeyStores.DEFAULT);
  }
}
