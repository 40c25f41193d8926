package io.shardload.results.hosts;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * What the servers moved between shards during the run: {@code server.moves}, or why that is not
 * known: {@code server.moves_unknown}.
 */
public final class MovedChunks {
  private static final int SHOWN = 5;

  private MovedChunks() {}

  /** One finding with the times of the first moves, or with the reason why they are not known. */
  public static List<String> findings(JsonObject environment) {
    JsonObject server = Json.object(environment, "server");
    String unknown = Json.text(server, "moves_unknown", "");
    if (!unknown.isEmpty()) {
      return List.of(
          "whether the cluster moved chunks during the run is not known: config.changelog cannot be read: %s"
              .formatted(unknown));
    }
    JsonArray moves = Json.array(server, "moves");
    if (moves.isEmpty()) {
      return List.of();
    }
    List<String> shown = new ArrayList<>();
    for (JsonElement element : moves) {
      JsonObject move = element.getAsJsonObject();
      if (shown.size() == SHOWN) {
        shown.add("and %d more".formatted(moves.size() - SHOWN));
        break;
      }
      shown.add(
          "%s to %s at %s"
              .formatted(
                  Json.text(move, "from", "?"),
                  Json.text(move, "to", "?"),
                  Json.text(move, "at", "?")));
    }
    return List.of(
        "the cluster moved %d %s between shards during the run, which loads these shards: %s"
            .formatted(
                moves.size(), moves.size() == 1 ? "chunk" : "chunks", String.join(", ", shown)));
  }
}
