package io.shardload.calibrate;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/**
 * Several sides measured in turns: every side once per round, in an order that alternates from
 * round to round.
 */
final class Rounds {
  /**
   * Rounds that are not counted, until the JIT compilers have almost finished. Several rounds,
   * because the end of a round and the start of the next round trigger further compilation.
   */
  private static final int FEWEST_WARM_UP_ROUNDS = 3;

  private static final int MOST_WARM_UP_ROUNDS = 10;
  private static final double MOST_JIT_PERCENT = 2;
  private static final String PGBENCH = "pgbench";
  private static final int WARM_UP_SECONDS = 3;
  private static final int WORKERS = 8;
  private static final int SECONDS = 2;
  private static final Figure.Goal PGBENCH_CPU = Figure.Goal.atMost(1.25, "");
  private static final Figure.Goal THROUGHPUT = Figure.Goal.atLeast(0.97, "");

  private final TestBed testBed;
  private final Map<String, Bench> benches = new LinkedHashMap<>();
  private final Map<String, List<Measured>> rounds = new LinkedHashMap<>();
  private final Pgbench pgbench;
  private long all;

  private Rounds(TestBed testBed, Optional<Pgbench> pgbench) {
    this.testBed = testBed;
    this.pgbench = pgbench.orElse(null);
  }

  /**
   * Measures.
   *
   * @param config of a closed model, without its load
   * @param seconds of a round's window
   * @param sides as in {@link Bench#round}
   */
  static Rounds measure(
      TestBed testBed, String what, JsonObject config, int workers, int seconds, List<String> sides)
      throws IOException, InterruptedException {
    return measure(testBed, what, config, workers, seconds, sides, Optional.empty());
  }

  private static Rounds measure(
      TestBed testBed,
      String what,
      JsonObject config,
      int workers,
      int seconds,
      List<String> sides,
      Optional<Pgbench> pgbench)
      throws IOException, InterruptedException {
    Rounds result = new Rounds(testBed, pgbench);
    try {
      for (String side : sides) {
        if (!side.equals(PGBENCH)) {
          result.benches.put(side, Bench.start(testBed));
        }
        result.rounds.put(side, new ArrayList<>());
      }
      TestBed.closed(config, workers, WARM_UP_SECONDS);
      result.warmUp(sides, config);
      TestBed.closed(config, workers, seconds);
      for (int i = 0; i < testBed.rounds(); i++) {
        testBed.progress().step(what, i, testBed.rounds(), "rounds");
        for (int j = 0; j < sides.size(); j++) {
          String side = sides.get((i + j) % sides.size());
          result.rounds.get(side).add(result.round(side, config, seconds));
        }
      }
      testBed.progress().step(what, testBed.rounds(), testBed.rounds(), "rounds");
      return result;
    } finally {
      result.benches.values().forEach(Bench::close);
      testBed.clean();
    }
  }

  private void warmUp(List<String> sides, JsonObject config)
      throws IOException, InterruptedException {
    boolean compiles = true;
    for (int i = 0; i < FEWEST_WARM_UP_ROUNDS || (compiles && i < MOST_WARM_UP_ROUNDS); i++) {
      compiles = false;
      for (String side : sides) {
        Measured measured = round(side, config, WARM_UP_SECONDS);
        compiles |= measured.threads().jitPercent() > MOST_JIT_PERCENT;
      }
    }
  }

  /** Measures a transaction on the target, in the harness and in a plain loop. */
  static Rounds harnessAndPlain(TestBed testBed, String what, String transaction)
      throws IOException, InterruptedException {
    JsonObject config = testBed.onTarget(transaction);
    Optional<Pgbench> pgbench = Pgbench.of(testBed, transaction);
    List<String> sides =
        pgbench.isPresent() ? List.of("harness", "plain", PGBENCH) : List.of("harness", "plain");
    return measure(testBed, what, config, WORKERS, SECONDS, sides, pgbench);
  }

  private Measured round(String side, JsonObject config, int seconds)
      throws IOException, InterruptedException {
    testBed.clean();
    Measured measured =
        side.equals(PGBENCH)
            ? pgbench.round(WORKERS, seconds)
            : benches.get(side).round(side, config, seconds);
    all += measured.all();
    return measured;
  }

  /** Operations of all sides and rounds, including warm-up and operations outside of windows. */
  long all() {
    return all;
  }

  /** Throughput and client CPU of the harness over those of the plain loop, and of pgbench. */
  List<Figure> harnessOverPlain(String what, Figure.Goal cpu) {
    String detail =
        String.format(
            Locale.ROOT,
            "operations/s: harness %.0f, plain loop %.0f; client CPU us per operation: %.2f, %.2f;"
                + " %d workers; done %d",
            mean("harness", Measured::perSecond),
            mean("plain", Measured::perSecond),
            mean("harness", Measured::cpuMicros),
            mean("plain", Measured::cpuMicros),
            WORKERS,
            all);
    List<Figure> figures = new ArrayList<>();
    figures.add(
        Figure.ofRatios(
            what + ": throughput, harness over plain loop",
            THROUGHPUT,
            compare("harness", "plain", (h, p) -> h.perSecond() / p.perSecond()),
            detail));
    figures.add(
        Figure.ofRatios(
            what + ": client CPU per operation, harness over plain loop",
            cpu,
            compare("harness", "plain", (h, p) -> h.cpuMicros() / p.cpuMicros()),
            detail));
    if (pgbench != null) {
      figures.add(
          Figure.ofRatios(
              what + ": client CPU per operation, harness over pgbench -S -M prepared",
              PGBENCH_CPU,
              compare("harness", PGBENCH, (h, p) -> h.cpuMicros() / p.cpuMicros()),
              detail));
    }
    return figures;
  }

  /** Where the client CPU of an operation goes, by side. */
  List<String> parts(String what) {
    List<String> lines = new ArrayList<>();
    rounds.forEach(
        (side, of) -> {
          ThreadTimes sum =
              of.stream().map(Measured::threads).reduce(ThreadTimes.NONE, ThreadTimes::plus);
          double micros = mean(side, Measured::cpuMicros);
          String parts = sum.parts(micros);
          lines.add(
              String.format(
                  Locale.ROOT,
                  "%s, client CPU us per operation: %s %.2f%s",
                  what,
                  side,
                  micros,
                  parts.isEmpty() ? "" : " = " + parts));
        });
    return lines;
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
