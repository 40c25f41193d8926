package io.shardload.generator;

import static io.shardload.generator.Simulation.closed;
import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Issued;
import io.shardload.config.Options;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.PlanSums;
import io.shardload.generator.schedule.Schedule;
import io.shardload.generator.schedule.Segment;
import io.shardload.metrics.JitTime;
import io.shardload.metrics.JitUse;
import io.shardload.metrics.ProcessUse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long the warm-up is prolonged while the JIT compilers are busy, on a virtual clock. */
class WarmUpTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir Path directory;

  private static Segment warmUp(double seconds, double rate) {
    return segment("warm-up", Segment.Kind.WARM_UP, 0, seconds, rate, rate);
  }

  private static Segment holdFrom(double from, double to, double rate) {
    return segment("hold", Segment.Kind.HOLD, from, to, rate, rate);
  }

  private static LoadConfig poisson(int workers, Segment... segments) {
    return new LoadConfig(
        true, true, workers, 0, 1, List.of(segments), 0, Duration.ofSeconds(10), false);
  }

  /** The process uses one core, and until a time the compilers have 30 % of it. */
  private Simulation busyUntil(double seconds, LoadConfig load) {
    Simulation simulation = new Simulation(directory, load);
    return simulation.use(
        () -> {
          long now = simulation.clock().nanoTime();
          return new ProcessUse(now, 0, Math.round(0.3 * Math.min((double) now, seconds * 1e9)));
        });
  }

  /** What the generator took is the plan with the longer warm-up, arrival by arrival. */
  private static void assertPlanned(Measured m, Simulation simulation, LoadConfig load) {
    long prolonged = m.lastLine().get("prolonged_ns").getAsLong();
    Plan asked = simulation.plan();
    Plan plan = new Plan(new Schedule(load, 1).prolonged(prolonged), asked.mix(), 1);
    assertThat(plan.hash()).isEqualTo(asked.hash());
    int own = load.generator();
    long[] ends = new long[load.generators()];
    Arrays.fill(ends, plan.schedule().endNanos());
    PlanSums sums = PlanSums.of(plan, ends);
    Issued all =
        new Issued(own, ends.length, plan.hashedShift(), sums.ofGenerator(own), new ArrivalSum());
    assertThat(m.lastLine().get("issued")).isEqualTo(all.toJson());
    for (int s = 0; s < plan.schedule().segments().size(); s++) {
      String name = plan.schedule().segments().get(s).name();
      assertThat(m.scheduled(name)).as(name).isEqualTo(sums.ofSegment(own, s));
      assertThat(m.count(name, "dropped")).as(name).isZero();
      assertThat(m.closed(name)).as(name).isTrue();
    }
  }

  private static String span(Measured m, String segment) {
    JsonArray span = m.lastLine().getAsJsonObject("segments_ns").getAsJsonArray(segment);
    return span.get(0).getAsLong() / 1e9 + " " + span.get(1).getAsLong() / 1e9;
  }

  /**
   * Busy in the first second: in the last three seconds the compilers had 15 %, 10 % and 0 % at 2,
   * 3 and 4 s. Red before: the hold began at 3 s. Mutation: end the stream of arrivals at 900.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theWarmUpGoesOnWhileTheCompilersAreBusy(boolean isPoisson) throws Exception {
    Segment ramp = segment("ramp", Segment.Kind.RAMP, 3, 5, 0, 200);
    Segment[] parts = {warmUp(3, 100), ramp, holdFrom(5, 8, 200)};
    LoadConfig load = isPoisson ? poisson(20, parts) : open(20, 0, parts);
    Simulation simulation = busyUntil(1, load);
    Measured m = simulation.run();
    assertThat(span(m, "warm-up")).isEqualTo("0.0 5.0");
    assertThat(span(m, "ramp")).isEqualTo("5.0 7.0");
    assertThat(span(m, "hold")).isEqualTo("7.0 10.0");
    assertThat(m.lastLine().get("warm_up_ns").getAsLong()).isEqualTo(5 * SECOND);
    assertThat(m.lines().get(0).has("prolonged_ns")).isFalse();
    assertThat(m.lines().get(2).get("prolonged_ns").getAsLong()).isEqualTo(2 * SECOND);
    assertThat(m.lines().get(2).get("jit_percent").getAsDouble()).isEqualTo(10.0);
    assertThat(m.lines().stream().map(line -> line.has("jit_busy")).limit(5))
        .containsExactly(true, true, true, false, false);
    assertPlanned(m, simulation, load);
    if (!isPoisson) {
      assertThat(m.scheduled("warm-up")).isEqualTo(500);
      assertThat(m.scheduled("ramp")).isEqualTo(200);
      assertThat(m.scheduled("hold")).isEqualTo(600);
    }
  }

  /** Mutation: no bound. */
  @Test
  void theWarmUpIsAtMostTwiceAsLong() throws Exception {
    LoadConfig load = open(4, 0, warmUp(3, 100), holdFrom(3, 5, 100));
    Simulation simulation = busyUntil(100, load);
    Measured m = simulation.run();
    assertThat(span(m, "warm-up")).isEqualTo("0.0 6.0");
    assertThat(span(m, "hold")).isEqualTo("6.0 8.0");
    assertPlanned(m, simulation, load);
  }

  /**
   * More workers than arrivals: some hold arrivals that are due only in a longer run, or got none.
   * Mutations: end the stream of arrivals where the schedule of the configuration ends; keep the
   * due time of what a worker already holds.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void arrivalsThatOnlyTheLongerRunHasAreBegun(boolean isPoisson) throws Exception {
    Segment[] parts = {warmUp(2, 5), holdFrom(2, 4, 5)};
    LoadConfig load = isPoisson ? poisson(50, parts) : open(50, 0, parts);
    Simulation simulation = busyUntil(100, load);
    Measured m = simulation.run();
    assertThat(span(m, "hold")).isEqualTo("4.0 6.0");
    assertPlanned(m, simulation, load);
  }

  /**
   * The second arrival was the first of the hold, and is due in the longer warm-up. Mutation: count
   * it as due where it was when the counter saw it first.
   */
  @Test
  void anArrivalOfTheHoldBecomesOneOfTheWarmUp() throws Exception {
    LoadConfig load = open(4, 0, warmUp(3, 0.3), holdFrom(3, 6, 30));
    Simulation simulation = busyUntil(100, load);
    Measured m = simulation.run();
    assertThat(m.scheduled("warm-up")).isEqualTo(2);
    assertPlanned(m, simulation, load);
  }

  /** Ten milliseconds a call. Mutation: count by the segments of the configuration. */
  @Test
  void aClosedModelHasALongerWarmUpToo() throws Exception {
    LoadConfig load = closed(1, warmUp(2, Double.NaN), holdFrom(2, 4, Double.NaN));
    Measured m = busyUntil(100, load).target("{'service-time': '10ms'}").run();
    assertThat(m.count("warm-up", "started")).isEqualTo(400);
    assertThat(m.count("hold", "started")).isEqualTo(200);
  }

  @Test
  void aRunThatWasStoppedInTheWarmUpIsNotProlonged() throws Exception {
    LoadConfig load = open(4, 0, warmUp(3, 100), holdFrom(3, 5, 100));
    Measured m = busyUntil(100, load).stoppedAt(1_500_000_000).run();
    assertThat(m.lastLine().has("prolonged_ns")).isFalse();
    assertThat(span(m, "warm-up")).isEqualTo("0.0 1.5");
    assertThat(m.closed("warm-up")).isTrue();
  }

  /** Where the system does not show what the compilers use. */
  @Test
  void whatIsNotKnownProlongsNothing() throws Exception {
    LoadConfig load = open(4, 0, warmUp(3, 100), holdFrom(3, 5, 100));
    Measured m =
        new Simulation(directory, load).use(() -> new ProcessUse(1, 0, JitTime.UNKNOWN)).run();
    assertThat(span(m, "hold")).isEqualTo("3.0 5.0");
  }

  /** Milliseconds of the compilers, of the process, and of the clock. */
  @ParameterizedTest
  @CsvSource({
    "110,  900, 1000, true", // 12 %
    "151, 3000, 3000, true", // 5 %, and 5 % of a core
    "149, 3000, 3000, false", // 5 %, but no 5 % of a core
    " 30,   45, 1000, false", // a slow run: two thirds of hardly anything
    " 72, 3600, 1000, false", // 2 %
    " 73, 3600, 1000, true",
    "  0,    0, 1000, false",
  })
  void busyIsMoreThanTwoPercentAndFivePercentOfACore(int jit, int cpu, int elapsed, boolean busy) {
    assertThat(new JitUse(jit * 1e6, cpu * 1e6, elapsed * 1e6).busy()).isEqualTo(busy);
  }

  /**
   * The JIT of the first generator is busy for the whole run. At 2.2 s and at 3.2 s each generator
   * gets the total prolongation of the warm-up, not the difference to the last one. Mutations:
   * decide alone; add each total.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void generatorsThatMeetDoWhatTheyAreTold(int generator) throws Exception {
    Segment[] parts = {warmUp(3, 100), holdFrom(3, 6, 200)};
    LoadConfig load =
        new LoadConfig(
            true, true, 20, generator, 2, List.of(parts), 0, Duration.ofSeconds(10), false);
    AtomicBoolean late = new AtomicBoolean();
    Simulation simulation = busyUntil(generator == 0 ? 100 : 0, load);
    Measured m =
        simulation
            .meeting(Meetings.shared(MeetingPoint.Lease.UNLIMITED))
            .event(
                one -> {
                  for (long nanos = SECOND; nanos <= 2 * SECOND; nanos += SECOND) {
                    simulation.clock().sleepUntil(nanos + 6 * SECOND / 5);
                    assertThat(one.run().prolongWarmUp(nanos)).isTrue();
                    assertThat(one.run().prolongWarmUp(nanos)).isTrue();
                  }
                  simulation.clock().sleepUntil(11 * SECOND / 2);
                  late.set(!one.run().prolongWarmUp(3 * SECOND));
                })
            .run();
    assertThat(late).isTrue();
    assertThat(span(m, "warm-up")).isEqualTo("0.0 5.0");
    assertThat(span(m, "hold")).isEqualTo("5.0 8.0");
    assertThat(m.lines().get(0).has("jit_busy")).isEqualTo(generator == 0);
    assertThat(m.lines().get(5).has("jit_busy")).isFalse();
    assertPlanned(m, simulation, load);
  }

  /** Generators measure at the same time. Mutation: each decides alone. */
  @ParameterizedTest
  @CsvSource({"1, false, true", "1, true, true", "2, true, true", "2, false, false"})
  void generatorsThatDoNotMeetProlongNothing(int generators, boolean meet, boolean may)
      throws Exception {
    JsonObject json =
        JsonParser.parseString(
                """
                {"run": {"id": "r", "directory": "%s"}, "target": {"name": "noop", "driver": "noop"},
                 "workload": {"name": "document-store", "seed": 1, "data": {"documents": 100}},
                 "mix": {"insert": 100},
                 "load": {"generators": %d, "segments": [
                   {"name": "warm", "kind": "warm-up", "seconds": 5, "from_rate": 9, "to_rate": 9},
                   {"name": "hold", "seconds": 5, "from_rate": 9, "to_rate": 9}]}}
                """
                    .formatted(directory, generators))
            .getAsJsonObject();
    MeetingPoint meeting =
        meet
            ? Meetings.shared(MeetingPoint.Lease.UNLIMITED)
            : Meetings.of(MeetingPoint.Lease.UNLIMITED);
    try (Opened opened =
        Opened.open(RunConfig.read(json), false, meeting, new CompletableFuture<>())) {
      Schedule schedule = opened.generator().run().plan.schedule();
      assertThat(schedule.isSettled()).isEqualTo(!may);
      opened.generator().close();
      opened.endpoint().close(Duration.ZERO);
    }
  }

  @Test
  void theWarmUpIsAtMostTwiceAsLongAndHalfAMinuteLonger() {
    assertThat(most("{'generators':2,'segments':[%s,%s]}")).isEqualTo(5 * SECOND);
    assertThat(most("{'segments':[%2$s]}")).isZero();
    assertThat(most("{'segments':[{'name':'w','kind':'warm-up','seconds':300},%2$s]}"))
        .isEqualTo(30 * SECOND);
  }

  private static long most(String load) {
    String warmUp = "{'name':'warm-up','kind':'warm-up','seconds':5}";
    String json = load.formatted(warmUp, "{'name':'hold','kind':'hold','seconds':5}");
    var section = JsonParser.parseString(json).getAsJsonObject();
    return LoadConfig.read(new Options("load", section)).mostProlongedNanos();
  }

  /** Once something was seen of the time after it. */
  @Test
  void aWarmUpThatIsOverIsNotProlonged() {
    LoadConfig load = open(4, 0, warmUp(3, 100), holdFrom(3, 5, 100));
    Schedule schedule = new Schedule(load, 1).prolongable(3 * SECOND);
    schedule.settle(3 * SECOND - 1);
    assertThat(schedule.prolong(SECOND)).isTrue();
    schedule.settle(4 * SECOND);
    assertThat(schedule.prolong(SECOND)).isFalse();
    assertThat(schedule.warmUpEndNanos()).isEqualTo(4 * SECOND);
    assertThat(new Schedule(load, 1).prolong(SECOND)).isFalse();
  }
}
