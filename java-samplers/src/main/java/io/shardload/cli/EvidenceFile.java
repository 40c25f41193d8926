package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.load.RunConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What the server says of a run: {@code evidence.json} in the bundle. Drivers that tell nothing
 * leave no file, and a server that does not answer breaks no run.
 */
final class EvidenceFile {
  private EvidenceFile() {}

  /** Asks for plans and storage before the run. */
  static void begin(RunConfig config, Ports ports) throws IOException {
    var plans = config.model().plans(ports, config.mix().names());
    if (plans.isEmpty()) {
      return;
    }
    JsonObject storage = new JsonObject();
    storage.add("before", storage(config, ports));
    Gson gson = new Gson();
    JsonObject json = new JsonObject();
    json.addProperty("documents", config.model().documents());
    json.add("plans", gson.toJsonTree(plans));
    json.add("storage", storage);
    write(config.directory().resolve("evidence.json"), json);
  }

  /** Adds the storage after the run. */
  static void end(RunConfig config, Ports ports, Path bundle) throws IOException {
    Path file = bundle.resolve("evidence.json");
    if (Files.isRegularFile(file)) {
      JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      json.getAsJsonObject("storage").add("after", storage(config, ports));
      write(file, json);
    }
  }

  private static JsonElement storage(RunConfig config, Ports ports) {
    Gson gson = new Gson();
    try {
      return gson.toJsonTree(config.model().storage(ports));
    } catch (CallFailure | RuntimeException e) {
      return gson.toJsonTree(Map.of("reason", String.valueOf(e.getMessage())));
    }
  }

  private static void write(Path file, JsonObject json) throws IOException {
    Files.writeString(
        file,
        new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(json) + "\n");
  }
}
