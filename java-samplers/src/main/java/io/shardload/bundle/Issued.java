package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;

/**
 * A generator's record of the arrivals that it took from the plan: {@code issued} of its final
 * ledger line.
 *
 * @param generator which part of the plan it took
 * @param generators how many parts it thought there are
 * @param hashedShift k, if it adds the fingerprints of the first arrival of each generator in every
 *     2^k
 * @param begun what it began
 * @param dropped what was due before its end and not begun
 */
public record Issued(
    int generator, int generators, int hashedShift, ArrivalSum begun, ArrivalSum dropped) {

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("generator", generator);
    json.addProperty("generators", generators);
    json.addProperty("hashed_shift", hashedShift);
    json.add("begun", begun.toJson());
    json.add("dropped", dropped.toJson());
    return json;
  }

  /**
   * Reads it from a final line; null if the line has none. Missing values are -1 or 0, which match
   * no plan.
   */
  static Issued of(JsonObject line) {
    JsonObject json = Json.object(line, "issued");
    return json.isEmpty()
        ? null
        : new Issued(
            (int) Json.integer(json, "generator", -1),
            (int) Json.integer(json, "generators", -1),
            (int) Json.integer(json, "hashed_shift", -1),
            ArrivalSum.parse(Json.object(json, "begun")),
            ArrivalSum.parse(Json.object(json, "dropped")));
  }

  /** What it began and what it dropped together. */
  public ArrivalSum all() {
    return new ArrivalSum().add(begun).add(dropped);
  }
}
