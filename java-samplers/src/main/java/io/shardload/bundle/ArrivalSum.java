package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.HexFormat;

/**
 * Sums over arrivals, independent of their order: their number, the sum of their indexes and the
 * sum of the fingerprints of some of them, both modulo 2^64. Two sums of the same number are equal
 * for the same arrivals, and differ if one is left out and another one counted twice. Used by one
 * thread at a time.
 */
public final class ArrivalSum {
  private long number;
  private long indexes;
  private long fingerprints;

  public ArrivalSum() {}

  public ArrivalSum(long number, long indexes, long fingerprints) {
    this.number = number;
    this.indexes = indexes;
    this.fingerprints = fingerprints;
  }

  /**
   * Adds an arrival.
   *
   * @param fingerprint 0 for those whose fingerprints are not asked for
   */
  public void add(long index, long fingerprint) {
    number++;
    indexes += index;
    fingerprints += fingerprint;
  }

  public ArrivalSum add(ArrivalSum other) {
    number += other.number;
    indexes += other.indexes;
    fingerprints += other.fingerprints;
    return this;
  }

  public long number() {
    return number;
  }

  public boolean sameIndexes(ArrivalSum other) {
    return indexes == other.indexes;
  }

  public boolean sameFingerprints(ArrivalSum other) {
    return fingerprints == other.fingerprints;
  }

  /**
   * As in the final ledger line. Sums are hexadecimal: a JSON number does not have enough digits.
   */
  JsonObject toJson() {
    HexFormat hex = HexFormat.of();
    JsonObject json = new JsonObject();
    json.addProperty("number", number);
    json.addProperty("index_sum", hex.toHexDigits(indexes));
    json.addProperty("hash", hex.toHexDigits(fingerprints));
    return json;
  }

  /** Reads it; a sum that is not hexadecimal counts as 0. */
  static ArrivalSum parse(JsonObject json) {
    return new ArrivalSum(
        Json.integer(json, "number", 0), hexadecimal(json, "index_sum"), hexadecimal(json, "hash"));
  }

  private static long hexadecimal(JsonObject json, String key) {
    try {
      return Long.parseUnsignedLong(Json.text(json, key, ""), 16);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  @Override
  public String toString() {
    return toJson().toString();
  }
}
