package io.shardload.remote.controller;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;

/** Messages about a run for the console. Not thread-safe. */
final class News {
  private final List<String> notes = new ArrayList<>();
  private String trouble;

  void note(String text) {
    notes.add(text);
  }

  /**
   * The meeting itself does not work; only the first reason counts, because others may follow from
   * it.
   */
  void trouble(String why) {
    if (trouble == null) {
      trouble = why;
      notes.add(why);
    }
  }

  /** The problem of the meeting itself; null if there is none. */
  String trouble() {
    return trouble;
  }

  /** Adds {@code trouble} and {@code notes}; notes are given once. */
  JsonObject addTo(JsonObject json) {
    json.add("trouble", trouble == null ? JsonNull.INSTANCE : new JsonPrimitive(trouble));
    json.add("notes", Json.strings(notes));
    notes.clear();
    return json;
  }
}
