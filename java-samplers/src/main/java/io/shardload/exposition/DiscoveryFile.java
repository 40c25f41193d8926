package io.shardload.exposition;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file by which a store finds an endpoint (Prometheus' {@code file_sd}, which VictoriaMetrics
 * reads too). It appears complete, and closing this object removes it. The store adds the label
 * {@code source="live"} to every series: published series of the same run have another source.
 */
public final class DiscoveryFile implements AutoCloseable {
  private final Path file;

  private DiscoveryFile(Path file) {
    this.file = file;
  }

  /**
   * Writes it.
   *
   * @param directory created if it does not exist
   * @param name of the file, with {@code .json}
   * @param address {@code host:port} of the endpoint
   * @throws ConfigException it cannot be written
   */
  public static DiscoveryFile write(Path directory, String name, String address) {
    JsonArray targets = new JsonArray();
    targets.add(address);
    JsonObject labels = new JsonObject();
    labels.addProperty("job", "shardload");
    labels.addProperty("source", "live");
    JsonObject entry = new JsonObject();
    entry.add("targets", targets);
    entry.add("labels", labels);
    JsonArray entries = new JsonArray();
    entries.add(entry);
    Path file = directory.resolve(name);
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(directory);
        // A store runs as another user, and the umask may be strict.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
      // Stores read what ends with .json: they must not see the unfinished file.
      Path unfinished = directory.resolve(name + ".part");
      Files.writeString(unfinished, new Gson().toJson(entries) + "\n");
      Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-r--r--"));
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new ConfigException("", "cannot write %s: %s".formatted(file, e));
    }
    // Should a signal end the JVM before it is closed.
    file.toFile().deleteOnExit();
    return new DiscoveryFile(file);
  }

  /** Removes the file, if it still exists. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // It is tried again when the JVM ends.
    }
  }
}
