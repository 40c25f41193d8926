package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where a write is when the server acknowledges it, by the settings that a run's sessions have.
 *
 * @param words the settings that decide, with their values; the reason if the level is unknown
 */
public record Durability(Level level, String words) {
  /** The least first: of several servers the least counts. */
  public enum Level {
    /** A failure of one server, or of its machine, may lose it. */
    MEMORY("in memory"),
    UNKNOWN("at an unknown place"),
    ONE_DISK("on one disk"),
    MAJORITY_OF_DISKS("on a majority of disks");

    /** For a sentence. */
    public final String place;

    Level(String place) {
      this.place = place;
    }

    /** As in files and on pages: {@code one disk}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** The level of a word; of any other text {@link #UNKNOWN}. */
    public static Level of(String word) {
      return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst().orElse(UNKNOWN);
    }
  }

  /** Of {@link #toJson}; unknown for that reason if it is empty. */
  public static Durability of(JsonObject json, String otherwise) {
    return new Durability(
        Level.of(Json.text(json, "level", "")), Json.text(json, "words", otherwise));
  }

  public static Durability unknown(String reason) {
    return new Durability(Level.UNKNOWN, reason);
  }

  /** With the keys {@code level} and {@code words}. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("level", level.word());
    json.addProperty("words", words);
    return json;
  }

  @Override
  public String toString() {
    return level.word() + ": " + words;
  }
}
