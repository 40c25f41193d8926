package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.open;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Repeats;
import io.shardload.workload.statements.port.StatementStore;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls that say themselves when they are repeated, or that are refused.
 *
 * <p>Mutations that turned it red: the profile's number of attempts; no wait; a wait that is always
 * the longest; the whole time of a refused call as service time; an unknown attempt repeated twice.
 */
class RepeatsTest {
  private static final String FIND = "hold/find-by-id-and-filter1/";
  private static final long MS = 1_000_000;

  @TempDir private Path directory;

  /** A call with other repetitions, and another outcome unless that is null. */
  private record Changed(Call<StatementStore> call, Repeats repeats, Outcome outcome)
      implements Call<StatementStore> {
    @Override
    public void run(StatementStore port, Phases phases) throws CallFailure {
      call.run(port, phases);
    }

    @Override
    public Outcome finish(CallFailure failure, boolean unknownBefore) {
      Outcome own = call.finish(failure, unknownBefore);
      return outcome == null ? own : outcome;
    }

    @Override
    public void abandon() {
      call.abandon();
    }
  }

  private Simulation failing(int retriesOfProfile, Repeats repeats) {
    return new Simulation(directory, open(4, retriesOfProfile, hold(10, 10)))
        .target("{'service-time': '5ms', 'errors-percent': 100}")
        .calls(call -> new Changed(call, repeats, null));
  }

  /** Three attempts of 5 ms and two waits of 20 ms. */
  @Test
  void theWaitsLieWithinTheServiceTime() throws Exception {
    Measured m = failing(0, new Repeats(2, 20 * MS, 20 * MS, false)).run();
    assertThat(m.count("hold", "retries")).isEqualTo(200);
    Histogram failed = m.histogram(FIND + "failed");
    assertThat(failed.getTotalCount()).isEqualTo(100);
    assertThat((double) failed.getMinValue() / MS).isBetween(54.9, 55.1);
    assertThat((double) m.exactMax(FIND + "failed") / MS).isEqualTo(55);
  }

  /** Two attempts of 5 ms and a wait of 10 to 30 ms; 100 waits have a mean of 20 +- 0.6 ms. */
  @Test
  void waitsAreDrawnBetweenBothEnds() throws Exception {
    Measured m = failing(7, new Repeats(1, 10 * MS, 30 * MS, false)).run();
    assertThat(m.count("hold", "retries")).isEqualTo(100);
    Histogram failed = m.histogram(FIND + "failed");
    assertThat((double) failed.getMinValue() / MS).isBetween(19.9, 23.0);
    assertThat((double) failed.getMaxValue() / MS).isBetween(37.0, 40.1);
    assertThat(failed.getMean() / MS).isBetween(27.5, 32.5);
  }

  @Test
  void withoutANumberTheProfileDecides() throws Exception {
    Measured m = failing(3, Repeats.BY_PROFILE).run();
    assertThat(m.count("hold", "retries")).isEqualTo(300);
  }

  @Test
  void anAttemptWithoutAnAnswerIsRepeatedOnce() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 10, 10))
            .mix("{'insert': 100}")
            .store(store -> Stores.failing(new CallFailure("timeout", false, false, "no answer")))
            .calls(call -> new Changed(call, new Repeats(-1, 0, 0, true), null))
            .run();
    assertThat(m.count("hold", "retries")).isEqualTo(100);
    assertThat(m.count("hold", "unknown")).isEqualTo(100);
  }

  /** A refusal is answered in time, has a series of its own, and closes the ledger. */
  @Test
  void refusedCallsAreAnsweredButNotServed() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 100, 10))
            .target("{'service-time': '5ms'}")
            .calls(call -> new Changed(call, Repeats.BY_PROFILE, Outcome.REFUSED))
            .run();
    assertThat(m.count("hold", "refused")).isEqualTo(1000);
    assertThat(m.count("hold", "on_time")).isEqualTo(1000);
    assertThat(m.count("hold", "done") + m.count("hold", "failed")).isZero();
    assertThat(m.closed("hold")).isTrue();
    assertThat(m.histogram(FIND + "refused").getTotalCount()).isEqualTo(1000);
    assertThat(m.exactMax(FIND + "refused")).isEqualTo(5 * MS);
    for (String series : new String[] {"service", "response", "search", "failed"}) {
      assertThat(m.histogram(FIND + series).getTotalCount()).as(series).isZero();
    }
  }
}
