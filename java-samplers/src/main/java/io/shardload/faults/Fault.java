package io.shardload.faults;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.Options;
import java.util.List;

/**
 * A fault that the run injects.
 *
 * @param name of this one; {@code kind} with a number where there are several
 * @param kind its name in the target's file, or one that is built in
 * @param atSeconds when it begins, since the end of the warm-up
 * @param begin shell command; empty for a fault that is built in
 * @param end shell command; empty for a fault that is built in
 * @param check shell command that succeeds when the server answers; empty if the driver asks
 */
public record Fault(
    String name,
    String kind,
    double atSeconds,
    double durationSeconds,
    String begin,
    String end,
    String check) {
  private static final double MOST_SECONDS = 1e8;
  private static final List<String> COMMANDS = List.of("begin", "end", "check");

  /** Reads the section {@code faults}; the Python side has checked their moments. */
  public static List<Fault> read(Options root) {
    return root.sections("faults").stream().map(Fault::one).toList();
  }

  /** Leaves a configuration without commands: generators run none, so none is sent to a host. */
  public static void removeCommands(JsonObject config) {
    for (JsonElement fault : Json.array(config, "faults")) {
      COMMANDS.forEach(fault.getAsJsonObject()::remove);
    }
  }

  private static Fault one(Options section) {
    Fault fault =
        new Fault(
            section.requiredText("name"),
            section.requiredText("fault"),
            section.number("at_seconds", 0, 0, MOST_SECONDS),
            section.number("duration_seconds", 0, 0, MOST_SECONDS),
            section.text("begin", ""),
            section.text("end", ""),
            section.text("check", ""));
    section.rejectUnknown();
    return fault;
  }

  /** Whether shardload itself knows how to inject it. */
  public boolean isBuiltIn() {
    return begin.isEmpty();
  }
}
