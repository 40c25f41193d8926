package io.shardload.bundle;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.GeneratorLog.Burst;
import io.shardload.bundle.GeneratorLog.Span;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The silences and bursts of errors of ledgers, each list in order of time. */
final class Spans {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  private Spans() {}

  /**
   * Those of a ledger, and the time after it.
   *
   * @param endNanos when the last generator ended
   */
  static List<Span> silences(GeneratorLog log, long endNanos) {
    List<Span> all =
        all(log, GeneratorLog.SILENCES, 2, one -> new Span(nanos(one, 0), nanos(one, 1)));
    long quiet = log.end() == null ? log.extent().quietNanos() : log.endNanos();
    if (endNanos - quiet >= GeneratorLog.SHORTEST_SILENCE_NANOS) {
      all.add(new Span(quiet, endNanos));
    }
    return all;
  }

  static List<Burst> errorBursts(GeneratorLog log) {
    return all(
        log,
        GeneratorLog.ERROR_BURSTS,
        3,
        one -> new Burst(nanos(one, 0), nanos(one, 1), nanos(one, 2)));
  }

  private static <T> List<T> all(
      GeneratorLog log, String key, int size, Function<JsonArray, T> reader) {
    List<T> all = new ArrayList<>();
    log.forEachJson(
        (JsonObject line) ->
            Json.array(line, key).asList().stream()
                .filter(one -> isNumbers(one, size))
                .forEach(one -> all.add(reader.apply(one.getAsJsonArray()))));
    return all;
  }

  /** A bundle is input: anything else is left out. */
  private static boolean isNumbers(JsonElement list, int size) {
    return list instanceof JsonArray numbers
        && numbers.size() == size
        && numbers.asList().stream().allMatch(one -> NUMBER.matcher(one.toString()).matches());
  }

  private static long nanos(JsonArray numbers, int index) {
    return numbers.get(index).getAsLong();
  }

  /** Silences of two generators at the same time. */
  static List<Span> common(List<Span> some, List<Span> others) {
    List<Span> common = new ArrayList<>();
    for (int i = 0, j = 0; i < some.size() && j < others.size(); ) {
      Span one = some.get(i);
      Span other = others.get(j);
      long from = Math.max(one.fromNanos(), other.fromNanos());
      long to = Math.min(one.toNanos(), other.toNanos());
      if (to - from >= GeneratorLog.SHORTEST_SILENCE_NANOS) {
        common.add(new Span(from, to));
      }
      if (one.toNanos() < other.toNanos()) {
        i++;
      } else {
        j++;
      }
    }
    return common;
  }

  /** The bursts of several generators, joined as those of one. */
  static List<Burst> united(Stream<Burst> bursts) {
    List<Burst> united = new ArrayList<>();
    for (Burst burst : bursts.sorted(Comparator.comparing(Burst::fromNanos)).toList()) {
      Burst last = united.isEmpty() ? null : united.get(united.size() - 1);
      if (last == null
          || burst.fromNanos() - last.toNanos() >= GeneratorLog.SHORTEST_SILENCE_NANOS) {
        united.add(burst);
      } else {
        long to = Math.max(last.toNanos(), burst.toNanos());
        united.set(
            united.size() - 1, new Burst(last.fromNanos(), to, last.count() + burst.count()));
      }
    }
    return united;
  }
}
