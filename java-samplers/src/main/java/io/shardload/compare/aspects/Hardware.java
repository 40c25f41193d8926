package io.shardload.compare.aspects;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.json.Json;
import io.shardload.config.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The hardware of the servers that hold documents. */
final class Hardware {
  private Hardware() {}

  /**
   * Groups equal machines. RAM is rounded as in the display, because kernels reserve varying
   * amounts.
   */
  static JsonElement ofServers(RunFacts run) {
    if (!Cluster.isThere(run)) {
      return new JsonObject();
    }
    Map<String, Integer> alike = new TreeMap<>();
    for (JsonElement element : Json.array(Json.object(run.environment(), "server"), "machines")) {
      JsonObject machine = element.getAsJsonObject();
      if (Json.flag(machine, "holds_documents")) {
        alike.merge(machine(machine), 1, Integer::sum);
      }
    }
    List<String> texts = new ArrayList<>();
    alike.forEach((machine, count) -> texts.add(count == 1 ? machine : count + " of " + machine));
    String text = texts.isEmpty() ? RunFacts.NOT_KNOWN : String.join(" + ", texts);
    return new JsonPrimitive(
        text.contains(RunFacts.NOT_KNOWN) && Cluster.isBesideTheGenerator(run)
            ? "the generator's machine"
            : text);
  }

  private static String machine(JsonObject machine) {
    List<String> known = new ArrayList<>();
    String cpu = Json.text(machine, "cpu", "");
    long cpus = Json.integer(machine, "cpus", 0);
    long ram = Json.integer(machine, "ram_bytes", 0);
    if (!cpu.isEmpty()) {
      known.add(cpu);
    }
    if (cpus > 0) {
      known.add(cpus + " CPUs");
    }
    if (ram > 0) {
      known.add(Units.show((double) ram));
    }
    return known.isEmpty() ? RunFacts.NOT_KNOWN : String.join(", ", known);
  }
}
