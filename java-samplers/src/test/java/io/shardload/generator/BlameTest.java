package io.shardload.generator;

import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.generator.schedule.Segment;
import io.shardload.results.Evaluation;
import io.shardload.results.Verdict;
import io.shardload.results.measured.Distributions;
import io.shardload.results.measured.Segments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who is to blame, over a thousand standstills in virtual time: the whole way from worker and
 * hiccup meter through the bundle to the verdict.
 *
 * <p>Each standstill lies in a step of one second. It lasts 15 to 300 ms: from 1.5 % of the step
 * on, for a standstill must touch over 1 % of it to count. Rate, workers, service time, moment and
 * duration are drawn. Threads wake up to 300 microseconds late all the time. The workers are busy
 * to at most 40 %, so that one standstill is worked off before the next.
 *
 * <p>Where the server shares the machine, delays count only where they dominate a percentile: there
 * standstills from 60 ms on are called so, for over 1 % of the step they delay by 50 ms.
 */
@Tag("long")
class BlameTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;
  private static final int RUNS = 20;
  private static final int STEPS = 25;

  @TempDir Path directory;

  /** Mutation: count no hiccups, and only arrivals that were held when they fell due. */
  @Test
  void everyStandstillOfTheGeneratorIsCalledSo() throws Exception {
    for (int run = 0; run < RUNS; run++) {
      Stalls stalls = new Stalls(run);
      Simulation simulation = stalls.simulation(directory.resolve("" + run), "[]");
      simulation.clock().wakes(stalls::wake);
      simulation.run();
      assertThat(stalls.blamed(directory.resolve("" + run), false))
          .as("run %d: %s", run, stalls)
          .isEqualTo(stalls.steps());
      assertThat(stalls.blamed(directory.resolve("" + run), true))
          .as("run %d on a shared machine: %s", run, stalls)
          .containsAll(stalls.longSteps());
    }
  }

  /** Mutation: count every arrival that began late. */
  @Test
  void noStandstillOfTheServerIs() throws Exception {
    for (int run = 0; run < RUNS; run++) {
      Stalls stalls = new Stalls(run + RUNS);
      Simulation simulation = stalls.simulation(directory.resolve("" + run), stalls.ofServer());
      simulation.clock().wakes(Stalls::late);
      Measured m = simulation.run();
      assertThat(m.histogram("step-1/find-by-id-and-filter1/response").getMaxValue())
          .isGreaterThan(10 * MS);
      assertThat(stalls.blamed(directory.resolve("" + run), false))
          .as("run %d: %s", run, stalls)
          .isEmpty();
    }
  }

  /** The standstills of one run, one in each step. */
  private static final class Stalls {
    private final int workers;
    private final double serviceMillis;
    private final List<Segment> segments = new ArrayList<>();
    private final TreeMap<Long, Long> toByFrom = new TreeMap<>();

    Stalls(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      workers = random.nextInt(2, 17);
      serviceMillis = 0.5 + 4.5 * random.nextDouble();
      double mostPerSecond = Math.min(600, 0.4 * workers * 1000 / serviceMillis);
      for (int step = 1; step <= STEPS; step++) {
        double rate = 50 + (mostPerSecond - 50) * random.nextDouble();
        segments.add(segment("step-" + step, Segment.Kind.STEP, step - 1, step, rate, rate));
        long from = (step - 1) * SECOND + random.nextLong(50 * MS, 450 * MS);
        toByFrom.put(from, from + Math.round(15 * MS * Math.pow(20, random.nextDouble())));
      }
    }

    Simulation simulation(Path bundle, String ofServer) {
      return new Simulation(bundle, open(workers, 0, segments.toArray(Segment[]::new)))
          .target(
              String.format(
                  Locale.ROOT,
                  "{'service-time': '%1$.3fms', 'jitter': '%1$.3fms', 'stalls': %2$s}",
                  serviceMillis / 1.5,
                  ofServer));
    }

    String ofServer() {
      return toByFrom.entrySet().stream()
          .map(
              stall ->
                  String.format(
                      Locale.ROOT,
                      "{'at': '%dns', 'for': '%dns'}",
                      stall.getKey(),
                      stall.getValue() - stall.getKey()))
          .collect(Collectors.joining(",", "[", "]"));
    }

    /** A thread wakes up to 300 microseconds late, and in a standstill at its end. */
    long wake(long asked) {
      long wake = late(asked);
      Map.Entry<Long, Long> stall = toByFrom.floorEntry(wake);
      return stall == null || wake >= stall.getValue() ? wake : late(stall.getValue());
    }

    static long late(long asked) {
      return asked + Math.floorMod((asked * 0x9E3779B97F4A7C15L) >>> 20, 300_000L);
    }

    List<String> steps() {
      return segments.stream().map(Segment::name).toList();
    }

    /** Those with standstills of 60 ms or more. */
    List<String> longSteps() {
      List<Long> froms = List.copyOf(toByFrom.keySet());
      return IntStream.range(0, STEPS)
          .filter(i -> toByFrom.get(froms.get(i)) - froms.get(i) >= 60 * MS)
          .mapToObj(i -> segments.get(i).name())
          .toList();
    }

    /** The steps that the verdict blames on the generator. */
    List<String> blamed(Path directory, boolean sharedMachine) throws Exception {
      BundleFixture fixture = new BundleFixture(directory);
      fixture.environment.getAsJsonObject("target").addProperty("shares_machine", sharedMachine);
      segments.forEach(s -> fixture.segment(s.name(), "step", 1, s.fromRate()));
      Bundle bundle = BundleReader.read(fixture.write());
      Segments read = Segments.of(bundle);
      Distributions distributions = Distributions.read(bundle, read, 1, null);
      String blame = "generator-bound: in ";
      return Verdict.of(Evaluation.of(bundle, read, distributions)).reasons().stream()
          .filter(reason -> reason.startsWith(blame))
          .map(reason -> reason.substring(blame.length()).split(" ", 2)[0])
          .distinct()
          .toList();
    }

    @Override
    public String toString() {
      return workers + " workers, " + serviceMillis + " ms, " + toByFrom;
    }
  }
}
