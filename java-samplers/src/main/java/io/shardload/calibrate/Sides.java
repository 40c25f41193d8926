package io.shardload.calibrate;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/**
 * Several sides measured in turns: every side once per round, in an order that alternates from
 * round to round.
 */
final class Sides {
  /**
   * Rounds that are not counted, until the JIT compilers have finished. Several rounds, because the
   * end of a round and the start of the next round trigger further compilation.
   */
  private static final int WARM_UP_ROUNDS = 3;

  private static final Span WARM_UP = new Span(3);

  private final Map<String, List<Measured>> rounds = new LinkedHashMap<>();
  private long all;

  private Sides() {}

  /**
   * Measures.
   *
   * @param config of a closed model, without its load
   * @param sides as in {@link Bench#round}
   */
  static Sides measure(
      TestBed testBed, String what, JsonObject config, int workers, Span span, List<String> sides)
      throws IOException, InterruptedException {
    Sides result = new Sides();
    Map<String, Bench> benches = new LinkedHashMap<>();
    try {
      for (String side : sides) {
        benches.put(side, Bench.start(testBed));
        result.rounds.put(side, new ArrayList<>());
      }
      TestBed.closed(config, workers, WARM_UP);
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        for (String side : sides) {
          result.round(testBed, benches.get(side), side, config, WARM_UP);
        }
      }
      TestBed.closed(config, workers, span);
      for (int i = 0; i < testBed.rounds(); i++) {
        testBed.progress().step(what, i, testBed.rounds(), "rounds");
        for (int j = 0; j < sides.size(); j++) {
          String side = sides.get((i + j) % sides.size());
          result.rounds.get(side).add(result.round(testBed, benches.get(side), side, config, span));
        }
      }
      testBed.progress().step(what, testBed.rounds(), testBed.rounds(), "rounds");
      return result;
    } finally {
      benches.values().forEach(Bench::close);
      testBed.clean();
    }
  }

  private Measured round(TestBed testBed, Bench bench, String side, JsonObject config, Span span)
      throws IOException, InterruptedException {
    testBed.freshBundle(config);
    Measured measured = bench.round(side, config, span);
    all += measured.all();
    return measured;
  }

  /** Operations of all sides and rounds, including warm-up and operations outside of windows. */
  long all() {
    return all;
  }

  /** A value per round from two sides of it. */
  double[] compare(String a, String b, ToDoubleBiFunction<Measured, Measured> comparison) {
    double[] values = new double[rounds.get(a).size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = comparison.applyAsDouble(rounds.get(a).get(i), rounds.get(b).get(i));
    }
    return values;
  }

  /** Mean of a value of a side over its rounds. */
  double mean(String side, ToDoubleFunction<Measured> value) {
    return rounds.get(side).stream().mapToDouble(value).average().orElseThrow();
  }
}
