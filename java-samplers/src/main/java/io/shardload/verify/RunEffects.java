package io.shardload.verify;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import io.shardload.workload.Checks.Effects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the calls of a run did, from the ledgers of all its generators, warm-up included.
 *
 * @param begun whether any generator has begun
 * @param missing why the effects are not known; empty if they are known
 */
record RunEffects(boolean begun, String missing, Map<String, Effects> effects) {
  /**
   * Reads the effects. A ledger without its final line may lack calls, so the effects are not known
   * then. A generator on the controller's machine creates its ledger before its first call, so
   * without a ledger it did not begin. The ledger of a load host may still be on that host.
   */
  static RunEffects read(Path bundle) throws IOException {
    BundleLayout layout = new BundleLayout(bundle);
    boolean any = !layout.generatorsWithLedger().isEmpty();
    JsonObject run = new JsonObject();
    if (Files.exists(layout.run())) {
      try {
        run = JsonParser.parseString(Files.readString(layout.run())).getAsJsonObject();
      } catch (JsonParseException | IllegalStateException e) {
        return unknown(any, layout.run() + " cannot be read");
      }
    }
    long generators = run.has("load") ? Json.integer(Json.object(run, "load"), "generators", 1) : 0;
    for (int generator = 0; generator < generators; generator++) {
      if (run.has("hosts") && !layout.generatorsWithLedger().contains(generator)) {
        return unknown(any, "generator %d left no ledger".formatted(generator));
      }
    }
    Map<String, Counts> counts = new TreeMap<>();
    for (GeneratorLog generator : BundleReader.generators(bundle)) {
      if (generator.end() == null || !generator.problems().isEmpty()) {
        return unknown(
            any, "the ledger of generator %d is incomplete".formatted(generator.generator()));
      }
      generator.forEachLine(
          line ->
              line.segments()
                  .values()
                  .forEach(
                      segment ->
                          segment.forEach(
                              (name, more) ->
                                  counts.computeIfAbsent(name, n -> new Counts()).add(more))));
    }
    for (Map.Entry<String, Counts> one : counts.entrySet()) {
      if (!one.getValue().outcomesClose()) {
        return unknown(any, "the ledger of transaction %s does not close".formatted(one.getKey()));
      }
    }
    Map<String, Effects> effects = new TreeMap<>();
    counts.forEach(
        (name, of) -> effects.put(name, new Effects(of.get(Field.DONE), of.get(Field.UNKNOWN))));
    return new RunEffects(any, "", effects);
  }

  private static RunEffects unknown(boolean begun, String why) {
    return new RunEffects(begun, why, Map.of());
  }
}
