package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.generator.meeting.TimedLease;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing reaches the store once the lease has run out, and the ledger closes all the same. */
class LeaseTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;

  /** When calls reached the store. */
  private final List<Long> calls = new ArrayList<>();

  private Measured run(LoadConfig load, long leaseNanos, String options) throws Exception {
    Simulation simulation = new Simulation(directory, load).target(options);
    TimedLease lease = new TimedLease(simulation.clock()::nanoTime, leaseNanos);
    lease.renew(0);
    return simulation
        .meeting(Meetings.of(lease))
        .store(store -> recording(store, simulation.clock()))
        .run();
  }

  private DocumentStore recording(DocumentStore store, VirtualClock clock) {
    return Stores.calling(store, () -> calls.add(clock.nanoTime()));
  }

  /** Mutation: ask for the lease when an arrival is claimed, and not before its call. */
  @Test
  void noCallIsSentAfterTheLease() throws Exception {
    Measured m = run(constant(4, 1000, 2), 500 * MS, "{}");
    assertThat(calls).isNotEmpty().allSatisfy(at -> assertThat(at).isLessThan(500 * MS));
    // Due at 0, 1, ... 499 ms; the end is when a worker noticed.
    assertThat(m.count("hold", "started")).isEqualTo(500);
    assertThat(m.lastLine().get("actual_end_ns").getAsLong()).isBetween(500 * MS, 501 * MS);
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * The process stands still while a worker holds a prepared arrival, and goes on after the lease.
   * Mutation: call what was prepared in time.
   */
  @Test
  void whatWasPreparedBeforeAStandstillIsNotSent() throws Exception {
    Simulation simulation = new Simulation(directory, constant(4, 1000, 10));
    simulation.clock().frozen(995 * MS, 8000 * MS);
    TimedLease lease = new TimedLease(simulation.clock()::nanoTime, 4000 * MS);
    lease.renew(0);
    Measured m =
        simulation
            .meeting(Meetings.of(lease))
            .store(store -> recording(store, simulation.clock()))
            .run();
    assertThat(calls).hasSize(995).allSatisfy(at -> assertThat(at).isLessThan(995 * MS));
    assertThat(m.count("hold", "dropped")).isEqualTo(m.scheduled("hold") - 995);
    assertThat(m.closed("hold")).isTrue();
  }

  /** Each call takes 30 ms and fails; the lease ends in the second. Mutation: retry without it. */
  @Test
  void noRetryIsSentAfterTheLease() throws Exception {
    Measured m =
        run(
            Simulation.open(1, 5, hold(1, 2)),
            50 * MS,
            "{'service-time': '30ms', 'errors-percent': 100}");
    assertThat(calls).containsExactly(0L, 30 * MS);
    assertThat(m.count("hold", "retries")).isEqualTo(1);
    assertThat(m.count("hold", "failed") + m.count("hold", "unknown")).isEqualTo(1);
    assertThat(m.closed("hold")).isTrue();
  }

  /** Mutation: leave the arrival that a worker of a closed model has claimed uncounted. */
  @Test
  void aClosedModelEndsWithTheLease() throws Exception {
    LoadConfig closed =
        new LoadConfig(
            false, false, 1, 0, 1, List.of(hold(Double.NaN, 1)), 0, Duration.ofSeconds(10), false);
    Measured m = run(closed, 100 * MS, "{'service-time': '30ms'}");
    assertThat(calls).containsExactly(0L, 30 * MS, 60 * MS, 90 * MS);
    assertThat(m.closed("hold")).isTrue();
    JsonObject issued = m.lastLine().getAsJsonObject("issued");
    assertThat(issued.getAsJsonObject("begun").get("number").getAsLong()).isEqualTo(4);
  }
}
