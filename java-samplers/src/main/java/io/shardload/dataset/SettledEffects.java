package io.shardload.dataset;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.json.Json;
import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks.Effects;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What all settled runs did to a data set whose single documents are not tracked, by transaction.
 * Stored as JSON in chunk -2 next to the data, one chunk per generation. Generation 0 has none.
 */
public final class SettledEffects {
  private static final int CHUNK = -2;
  private static final String DONE = "done";
  private static final String UNKNOWN = "unknown";
  private static final String REFUSED = "refused";
  private static final String ROWS = "rows";

  private SettledEffects() {}

  /** The effects of all runs before the header's generation. */
  public static Map<String, Effects> read(DataSetStore store, Header header) throws CallFailure {
    Map<String, Effects> effects = new TreeMap<>();
    if (header.generation() == 0) {
      return effects;
    }
    Optional<byte[]> chunk = store.readChunk(header.generation(), CHUNK);
    if (chunk.isEmpty()) {
      throw new ConfigException(
              "target",
              "the counts of earlier runs are missing at generation %d, so checks cannot use them"
                  .formatted(header.generation()))
          .advise(Advice.recreate("to drop all tables and load again"));
    }
    JsonObject json =
        JsonParser.parseString(new String(chunk.get(), StandardCharsets.UTF_8)).getAsJsonObject();
    for (String transaction : json.keySet()) {
      JsonObject one = json.getAsJsonObject(transaction);
      effects.put(
          transaction,
          new Effects(
              one.get(DONE).getAsLong(),
              one.get(UNKNOWN).getAsLong(),
              Json.integer(one, REFUSED, Effects.NOT_COUNTED),
              Json.integer(one, ROWS, Effects.NOT_COUNTED)));
    }
    return effects;
  }

  /**
   * Settles the data set with these effects.
   *
   * @param effects of all runs, this run included
   */
  public static void settle(DataSetStore store, Header header, Map<String, Effects> effects)
      throws CallFailure {
    write(store, header, effects);
    StateChunks.writeMark(store, header.generation() + 1, header.highWater());
    StateChunks.nextGeneration(store, header);
  }

  /** Writes the effects under the generation that follows, which is not in use yet. */
  public static void write(DataSetStore store, Header header, Map<String, Effects> effects)
      throws CallFailure {
    JsonObject json = new JsonObject();
    effects.forEach(
        (transaction, of) -> {
          JsonObject one = new JsonObject();
          one.addProperty(DONE, of.done());
          one.addProperty(UNKNOWN, of.unknown());
          one.addProperty(REFUSED, of.refused());
          one.addProperty(ROWS, of.rows());
          json.add(transaction, one);
        });
    store.writeChunk(
        header.generation() + 1, CHUNK, json.toString().getBytes(StandardCharsets.UTF_8));
  }
}
