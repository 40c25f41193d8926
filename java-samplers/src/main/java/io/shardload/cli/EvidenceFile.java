package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The server's plans and storage for a run: {@code evidence.json} in the bundle. Drivers without
 * evidence write no file. A run neither fails nor waits for it. If the server refuses a question,
 * the reason is noted. Questions that are left after {@link #PATIENCE} are not asked, so that a
 * stuck server costs at most this time and one statement timeout.
 */
final class EvidenceFile {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String NOT_ASKED =
      "not asked: earlier questions took the server over " + PATIENCE.toSeconds() + " s";

  private final Path file;
  private final Model<?> model;
  private final Ports ports;
  private final LongSupplier nanoTime;

  /**
   * @param bundle directory of the run bundle
   */
  EvidenceFile(Path bundle, Model<?> model, Ports ports, LongSupplier nanoTime) {
    this.file = new BundleLayout(bundle).evidence();
    this.model = model;
    this.ports = ports;
    this.nanoTime = nanoTime;
  }

  /** Asks for plans and storage before the run. */
  void begin(List<String> transactions) {
    long began = nanoTime.getAsLong();
    try {
      Map<String, Object> plans = new LinkedHashMap<>();
      for (String name : transactions) {
        plans.putAll(isLate(began) ? unknown(name) : model.plans(ports, List.of(name)));
      }
      if (plans.isEmpty()) {
        return;
      }
      Gson gson = new Gson();
      JsonObject storage = new JsonObject();
      storage.add("before", isLate(began) ? gson.toJsonTree(reason(NOT_ASKED)) : storage());
      JsonObject json = new JsonObject();
      json.addProperty("documents", model.documents());
      json.add("plans", gson.toJsonTree(plans));
      json.add("storage", storage);
      WholeFile.writeJson(file, json);
    } catch (IOException | RuntimeException e) {
      leaveOut(e);
    }
  }

  /** Adds the storage after the run. */
  void end() {
    if (!Files.isRegularFile(file)) {
      return;
    }
    try {
      JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      json.getAsJsonObject("storage").add("after", storage());
      WholeFile.writeJson(file, json);
    } catch (IOException | RuntimeException e) {
      leaveOut(e);
    }
  }

  private boolean isLate(long began) {
    return nanoTime.getAsLong() - began > PATIENCE.toNanos();
  }

  private static Map<String, Object> unknown(String name) {
    return Map.of(
        name,
        Map.of("access", "unknown", "indexes", List.of(), "shards", "unknown", "text", NOT_ASKED));
  }

  private JsonElement storage() {
    Gson gson = new Gson();
    try {
      return gson.toJsonTree(model.storage(ports));
    } catch (CallFailure | RuntimeException e) {
      return gson.toJsonTree(reason(String.valueOf(e.getMessage())));
    }
  }

  private static Map<String, String> reason(String reason) {
    return Map.of("reason", reason);
  }

  private void leaveOut(Exception e) {
    System.err.println("cannot write " + file + " (the server's plans and storage): " + e);
  }
}
