package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/** The generators that the controller abandoned, and the times of their last messages. */
public final class Losses {
  private Losses() {}

  /** Their numbers, by the controller. */
  public static SortedSet<Integer> of(Bundle bundle) {
    SortedSet<Integer> lost = new TreeSet<>();
    for (JsonElement element : Json.array(bundle.outcome(), "lost_generators")) {
      lost.add(element.getAsInt());
    }
    for (JsonElement element : Json.array(bundle.outcome(), "losses")) {
      lost.add((int) Json.integer(element.getAsJsonObject(), "generator", -1));
    }
    return lost;
  }

  /** The time of the last message of a generator without a final line; empty without any. */
  public static OptionalLong lastNanos(Bundle bundle, int generator) {
    for (JsonElement element : Json.array(bundle.outcome(), "losses")) {
      JsonObject loss = element.getAsJsonObject();
      if (Json.integer(loss, "generator", -1) == generator && loss.has("last_ns")) {
        return OptionalLong.of(Json.integer(loss, "last_ns", 0));
      }
    }
    return OptionalLong.empty();
  }

  /** {@code " at 12.3 s"}, or nothing where it is not known. */
  public static String at(Bundle bundle, int generator) {
    OptionalLong last = lastNanos(bundle, generator);
    return last.isEmpty() ? "" : String.format(Locale.ROOT, " at %.1f s", last.getAsLong() / 1e9);
  }

  /** What a generator left, if it left anything. */
  public static Optional<GeneratorLog> log(Bundle bundle, int generator) {
    return bundle.generators().stream().filter(one -> one.generator() == generator).findFirst();
  }

  /** Whether a generator has left its final line, if only in a bundle that was completed later. */
  public static boolean ended(Bundle bundle, int generator) {
    return log(bundle, generator).map(one -> one.end() != null).orElse(false);
  }
}
