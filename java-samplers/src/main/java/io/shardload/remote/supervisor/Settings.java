package io.shardload.remote.supervisor;

import io.shardload.config.ConfigException;
import io.shardload.remote.engine.KeyStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

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
      throw new ConfigException("--heap", "--heap: must be a size such as 4g or 512m, not " + text);
    }
    return text;
  }

  /** Refuses what an engine could not work with. */
  void check() {
    address.check();
    KeyStores.sslContext(keyStore);
    try {
      Files.createDirectories(
          runs, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
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
