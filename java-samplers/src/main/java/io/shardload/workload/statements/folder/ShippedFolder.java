package io.shardload.workload.statements.folder;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The workload folder on the class path, for a configuration that only names its workload: that of
 * the plugin in a user's own JMeter, which has no checkout.
 */
public final class ShippedFolder {
  public static final String NAME = "document-store";

  private static final String FILE = "/workloads/" + NAME + "/workload.yml";
  private static final String IN_JAR = "jar:";
  private static final String WORKLOAD = "workload";
  private static final String FOLDER = "folder";

  private ShippedFolder() {}

  /**
   * Returns a configuration with all that the folder's file says and it does not, if it names the
   * workload without a folder; otherwise itself.
   *
   * @throws ConfigException there is no such workload
   */
  public static JsonObject complete(JsonObject config) {
    if (!(config.get(WORKLOAD) instanceof JsonObject work) || work.has(FOLDER)) {
      return config;
    }
    if (work.has("name") && !work.get("name").equals(new Gson().toJsonTree(NAME))) {
      throw ConfigException.unknown(
          "workload.name", WORKLOAD, work.get("name").getAsString(), List.of(NAME));
    }
    JsonObject own = new JsonObject();
    own.add(WORKLOAD, section());
    return over(own, config).getAsJsonObject();
  }

  /** The section of the file, with the folder. */
  private static JsonObject section() {
    try (InputStream text = ShippedFolder.class.getResourceAsStream(FILE)) {
      Object read = new Load(LoadSettings.builder().build()).loadFromInputStream(text);
      JsonObject section = new Gson().toJsonTree(read).getAsJsonObject().getAsJsonObject(WORKLOAD);
      section.addProperty(FOLDER, text(folder()));
      return section;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path folder) {
    boolean inJar = !folder.getFileSystem().equals(FileSystems.getDefault());
    return inJar ? folder.toUri().toString() : folder.toString();
  }

  /** A path from its text. The one URI names the folder in this jar: no other is opened. */
  public static Path path(String text) {
    return text.startsWith(IN_JAR) && text.equals(text(folder())) ? folder() : Path.of(text);
  }

  private static synchronized Path folder() {
    try {
      URI file = ShippedFolder.class.getResource(FILE).toURI();
      if (file.toString().startsWith(IN_JAR)) {
        open(file);
      }
      return Path.of(file).getParent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** It stays open as long as the JVM, as the class path does. */
  private static void open(URI inJar) throws IOException {
    try {
      var unused = FileSystems.newFileSystem(inJar, Map.of());
    } catch (FileSystemAlreadyExistsException e) {
      // An earlier call, or another plugin, has opened it.
    }
  }

  private static JsonElement over(JsonElement below, JsonElement above) {
    if (!(below instanceof JsonObject under) || !(above instanceof JsonObject object)) {
      return above;
    }
    JsonObject all = under.deepCopy();
    object.asMap().forEach((key, value) -> all.add(key, over(all.get(key), value)));
    return all;
  }
}
