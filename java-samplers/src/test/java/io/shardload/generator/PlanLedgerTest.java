package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleReader;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import io.shardload.results.measured.PlanCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What whole generators say of their arrivals is what the controller makes of the plan. */
class PlanLedgerTest {
  private static final String MIX = "{'insert': 40, 'find-by-id-and-filter1': 60}";

  @TempDir Path directory;

  private Simulation simulation(LoadConfig load) {
    return new Simulation(directory, load).mix(MIX);
  }

  private static LoadConfig load(boolean open, boolean poisson, int generator, int generators) {
    double rate = open ? 300 : 0;
    Segment ramp = segment("ramp", Segment.Kind.RAMP, 0, 2, 0, rate);
    Segment hold = segment("hold", Segment.Kind.HOLD, 2, 6, rate, rate);
    List<Segment> segments = List.of(ramp, hold);
    return new LoadConfig(
        open, poisson, 4, generator, generators, segments, 0, Duration.ofSeconds(10), false);
  }

  /** Compares what lies in the directory with a plan. */
  private PlanCheck check(LoadConfig load, long seed) throws Exception {
    JsonObject run = new JsonObject();
    JsonObject section = new JsonObject();
    section.addProperty("model", load.open() ? "open" : "closed");
    section.addProperty("arrivals", load.poisson() ? "poisson" : "constant");
    section.addProperty("generators", load.generators());
    JsonArray segments = new JsonArray();
    for (Segment s : load.segments()) {
      JsonObject one = new JsonObject();
      one.addProperty("name", s.name());
      one.addProperty("seconds", (s.endNanos() - s.startNanos()) / 1e9);
      one.addProperty("from_rate", s.fromRate());
      one.addProperty("to_rate", s.toRate());
      segments.add(one);
    }
    section.add("segments", segments);
    run.add("load", section);
    run.add("mix", JsonParser.parseString(MIX));
    JsonObject workload = new JsonObject();
    workload.addProperty("seed", seed);
    run.add("workload", workload);
    run.addProperty("schedule_hash", simulation(load).seed(seed).plan().hash());
    Files.writeString(directory.resolve("run.json"), run.toString());
    return PlanCheck.of(BundleReader.read(directory));
  }

  private void assertClosed(LoadConfig load) throws Exception {
    assertThat(check(load, 1)).isEqualTo(new PlanCheck(List.of(), ""));
  }

  @Test
  void aWholeRunCloses() throws Exception {
    simulation(load(true, false, 0, 1)).target("{'service-time': '2ms'}").run();
    assertClosed(load(true, false, 0, 1));
  }

  /** Each generator began its part. Mutation: hash with the number of the worker. */
  @Test
  void severalGeneratorsCloseTogether() throws Exception {
    for (int generator = 0; generator < 3; generator++) {
      simulation(load(true, true, generator, 3)).target("{'service-time': '2ms'}").run();
    }
    assertClosed(load(true, true, 0, 3));
  }

  /** Each drops a part of the ramp when the hold begins. Mutation: forget what workers dropped. */
  @Test
  void severalOverloadedGeneratorsCloseTogether() throws Exception {
    for (int generator = 0; generator < 3; generator++) {
      Measured m =
          simulation(load(true, true, generator, 3)).target("{'service-time': '500ms'}").run();
      assertThat(m.count("ramp", "dropped")).isPositive();
    }
    assertClosed(load(true, true, 0, 3));
  }

  /** 1200 arrivals for four workers that do 40 a second. Mutation: forget what is dropped. */
  @Test
  void anOverloadedRunCloses() throws Exception {
    for (boolean poisson : new boolean[] {false, true}) {
      directory = Files.createDirectory(directory.resolve("p" + poisson));
      LoadConfig load = load(true, poisson, 0, 1);
      Measured m = simulation(load).target("{'service-time': '100ms'}").run();
      assertThat(m.count("hold", "dropped")).isGreaterThan(500);
      assertClosed(load);
    }
  }

  /** Stopped after 3.3 of 6 s, with arrivals in hand and others overdue. */
  @Test
  void aStoppedRunCloses() throws Exception {
    for (String serviceTime : new String[] {"2ms", "100ms"}) {
      directory = Files.createDirectory(directory.resolve(serviceTime));
      LoadConfig load = load(true, true, 0, 1);
      Simulation simulation = simulation(load).target("{'service-time': '" + serviceTime + "'}");
      simulation.stoppedAt(3_300_000_000L).run();
      assertClosed(load);
    }
  }

  /** Workers take numbers as they become free, and some are given back at the end. */
  @Test
  void aClosedModelCloses() throws Exception {
    for (int generator = 0; generator < 2; generator++) {
      simulation(load(false, false, generator, 2)).target("{'service-time': '7ms'}").run();
    }
    assertClosed(load(false, false, 0, 2));
  }

  /** Its own ledger closes, but these are not the draws that the controller wanted. */
  @Test
  void anotherSeedIsNoticed() throws Exception {
    LoadConfig load = constant(4, 100, 5);
    Measured m = simulation(load).seed(2).run();
    assertThat(m.closed("hold")).isTrue();
    assertThat(check(load, 2).differences()).isEmpty();
    assertThat(check(load, 1).differences())
        .containsExactly(
            "generator 0 began arrivals with other times, transactions or draws than the plan's:"
                + " the sum of their fingerprints differs");
  }

  /** Another host's load: 10 % more. */
  @Test
  void anotherRateIsNoticed() throws Exception {
    LoadConfig asked = Simulation.open(4, 0, hold(100, 5));
    simulation(Simulation.open(4, 0, hold(110, 5))).run();
    assertThat(check(asked, 1).differences())
        .containsExactly(
            "generator 0 began and dropped 550 arrivals, but the plan has 500 until the generator's end");
  }
}
