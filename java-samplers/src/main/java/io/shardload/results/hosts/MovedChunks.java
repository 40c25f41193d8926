package io.shardload.results.hosts;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;

/** What the servers moved between shards during the run: {@code server.moves}. */
public final class MovedChunks {
  private static final int SHOWN = 5;

  private MovedChunks() {}

  /** One finding with the times of the first moves; none if there were none, or it is not known. */
  public static List<String> findings(JsonObject environment) {
    JsonArray moves = Json.array(Json.object(environment, "server"), "moves");
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
        "the balancer moved %d %s between shards during the run, which costs these shards work: %s"
            .formatted(
                moves.size(), moves.size() == 1 ? "chunk" : "chunks", String.join(", ", shown)));
  }
}
