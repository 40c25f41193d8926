package io.shardload.generator.schedule;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Golden;
import io.shardload.config.Options;
import io.shardload.workload.statements.DocumentStoreData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The arrivals of the shipped files, by the hash of their plans, for several seeds. */
class ShippedPlansTest {
  @Test
  void plansAreWhatTheyWere() throws IOException {
    String file = Files.readString(Path.of("../taurus/tests/shipped-plans.json"));
    StringBuilder all = new StringBuilder();
    JsonParser.parseString(file)
        .getAsJsonObject()
        .asMap()
        .forEach(
            (name, one) -> {
              JsonObject json = one.getAsJsonObject();
              LoadConfig load = LoadConfig.read(new Options("load", json.getAsJsonObject("load")));
              Mix mix =
                  Mix.read(
                      new Options("mix", json.getAsJsonObject("mix")),
                      DocumentStoreData.TRANSACTIONS);
              for (long seed : new long[] {json.get("seed").getAsLong(), 7, 1L << 62}) {
                String hash = new Plan(new Schedule(load, seed), mix, seed).hash();
                all.append("%s, seed %d: %s%n".formatted(name, seed, hash));
              }
            });
    Golden.check("plan-hashes.txt", all.toString());
  }
}
