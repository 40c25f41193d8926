package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static io.shardload.generator.Simulation.hold;
import static io.shardload.generator.Simulation.open;
import static io.shardload.generator.Simulation.segment;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Segment;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is measured is what happened: schedule, worker and recorder on a virtual clock against exact
 * values from closed formulas. Each test names the mutation that it was seen to catch.
 */
class TruthTest {
  private static final long MS = 1_000_000;
  private static final String FIND = "hold/find-by-id-and-filter1/";

  @TempDir Path directory;

  /**
   * A constant service time comes back in every percentile. Mutation: in {@code Worker.execute}
   * take the start before {@code claim} prepares (start = claimedNanos).
   */
  @Test
  void constantServiceTimeComesBack() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 100, 10)).target("{'service-time': '5ms'}").run();
    Histogram service = m.histogram(FIND + "service");
    assertThat(service.getTotalCount()).isEqualTo(1000);
    assertClose(service.getValueAtPercentile(50), 5 * MS);
    assertClose(service.getValueAtPercentile(100), 5 * MS);
    assertThat(m.exactMax(FIND + "service")).isEqualTo(5 * MS);
    assertThat(m.exactMax(FIND + "wait")).isZero();
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * A uniform service time of 5 to 15 ms: quantile p is 5 + 10 p ms, to the sampling error of 100
   * 000 draws (3 sigma: 0.05 ms) and the histogram's resolution. Mutation: record only the minimum
   * of two calls.
   */
  @Test
  void uniformServiceTimeComesBack() throws Exception {
    Measured m =
        new Simulation(directory, constant(64, 1000, 100))
            .target("{'service-time': '5ms', 'jitter': '10ms'}")
            .run();
    Histogram service = m.histogram(FIND + "service");
    assertThat(service.getTotalCount()).isEqualTo(100_000);
    for (double p : new double[] {10, 50, 90, 99}) {
      assertThat((double) service.getValueAtPercentile(p) / MS)
          .isBetween(5 + p / 10 - 0.06, 5 + p / 10 + 0.06);
    }
  }

  /**
   * A server that answers nothing from second 20 to 22, at 1000/s and 50 workers for 60 s. The
   * response percentiles are those of a queue with 50 servers (start = max(due, first free
   * server)), worked out here by hand; service time hides all but the 50 calls that were caught. By
   * arithmetic: responses longer than x s in the stall number 1000 (2 - x), so p99 of 60 000 lies
   * near 1.4 s. Mutations: response recorded without the wait; arrivals taken from when a worker is
   * free.
   */
  @Test
  void stallShowsInResponseAndHidesInService() throws Exception {
    Measured m =
        new Simulation(directory, constant(50, 1000, 60))
            .target("{'service-time': '1ms', 'stalls': [{'at': '20s', 'for': '2s'}]}")
            .run();
    long[] expected = queue(60_000, 50, MS, 20_000 * MS, 22_000 * MS);
    Histogram response = m.histogram(FIND + "response");
    for (double p : new double[] {50, 90, 96, 97, 98, 99, 99.5, 99.9, 100}) {
      int rank = (int) Math.ceil(p / 100 * expected.length) - 1;
      assertClose(response.getValueAtPercentile(p), expected[rank]);
    }
    assertThat(response.getValueAtPercentile(99)).isBetween(1400 * MS, 1445 * MS);
    assertClose(m.histogram(FIND + "service").getValueAtPercentile(99.9), MS);
    assertThat(m.histogram(FIND + "service").getCountBetweenValues(10 * MS, 60_000 * MS))
        .isEqualTo(50);
    assertThat(m.count("hold", "dropped")).isZero();
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * Response times in ascending order of a queue fed every millisecond, first come first served.
   */
  private static long[] queue(int n, int servers, long service, long stallFrom, long stallTo) {
    PriorityQueue<Long> free = new PriorityQueue<>();
    for (int i = 0; i < servers; i++) {
      free.add(0L);
    }
    long[] response = new long[n];
    for (int i = 0; i < n; i++) {
      long due = i * MS;
      long start = Math.max(due, free.remove());
      long end = (start >= stallFrom && start < stallTo ? stallTo : start) + service;
      free.add(end);
      response[i] = end - due;
    }
    Arrays.sort(response);
    return response;
  }

  /**
   * Twice the load that 10 workers at 10 ms can serve: half of what was due is never begun, but for
   * what the grace of 100 ms allows, and the longest wait says how long the queue was. Mutation: do
   * not count arrivals that nobody claimed.
   */
  @Test
  void overloadDropsWhatWasDue() throws Exception {
    Measured m =
        new Simulation(directory, constant(10, 2000, 10)).target("{'service-time': '10ms'}").run();
    assertThat(m.scheduled("hold")).isEqualTo(20_000);
    assertThat(m.count("hold", "started")).isEqualTo(10_100);
    assertThat(m.count("hold", "dropped")).isEqualTo(9900);
    assertThat(m.closed("hold")).isTrue();
    // The last to begin was due at 5.05 s and began at 10.09 s.
    assertThat((double) m.histogram(FIND + "wait").getMaxValue() / MS).isBetween(5035.0, 5050.0);
    // The dropped were due from then on, 0.5 ms apart, and were given up at 10.1 s: half of them
    // had waited over 2.575 s.
    Histogram dropped = m.histogram(FIND + "dropped");
    assertThat(dropped.getTotalCount()).isEqualTo(9900);
    assertThat((double) dropped.getValueAtPercentile(50) / MS).isBetween(2565.0, 2585.0);
    assertThat((double) m.exactMax(FIND + "dropped") / MS).isBetween(5045.0, 5055.0);
  }

  /**
   * Half of the calls are refused at once and half are answered after 5 ms: refusals have a series
   * of their own. Mutation: record them as service times.
   */
  @Test
  void failuresAreNoLatencies() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 100, 10))
            .target("{'service-time': '5ms'}")
            .store(Stores::refusingEverySecond)
            .run();
    assertThat(m.count("hold", "failed")).isEqualTo(500);
    for (String series : List.of("service", "response", "search")) {
      assertThat(m.histogram(FIND + series).getTotalCount()).as(series).isEqualTo(500);
    }
    assertClose(m.histogram(FIND + "service").getMinValue(), 5 * MS);
    assertThat(m.histogram(FIND + "failed").getTotalCount()).isEqualTo(500);
    assertThat(m.histogram(FIND + "failed").getMaxValue()).isLessThan(MS);
    assertThat(m.histogram(FIND + "wait").getTotalCount()).isEqualTo(1000);
    assertThat(m.lastLine().get("format").getAsInt()).isEqualTo(2);
  }

  /**
   * A constant service time of 1 s: what is in flight at the end of the hold was so at its
   * beginning, too. Of the ramp's 5000 arrivals the 950 of its last second end in the hold.
   * Mutation: count them in the ramp's own tally.
   */
  @Test
  void aSegmentAnswersWhatItFoundInFlight() throws Exception {
    LoadConfig load =
        open(
            1100,
            0,
            segment("ramp", Segment.Kind.RAMP, 0, 10, 0, 1000),
            segment("hold", Segment.Kind.HOLD, 10, 20, 1000, 1000));
    Measured m = new Simulation(directory, load).target("{'service-time': '1s'}").run();
    assertThat(m.count("hold", "carried_in")).isBetween(949L, 951L);
    assertThat(m.count("hold", "on_time")).isBetween(8999L, 9001L);
    assertThat(m.count("ramp", "carried_in")).isZero();
  }

  /**
   * A stage, a ramp and the hold have ledgers of their own; a ramp from 0 to r has half of r times
   * its length. A backlog belongs to the segment of its due time. Mutation: use the segment of the
   * start.
   */
  @Test
  void segmentsAreThoseOfTheDueTime() throws Exception {
    LoadConfig load =
        open(
            20,
            0,
            segment("stage", Segment.Kind.STAGE, 0, 2, 100, 100),
            segment("ramp", Segment.Kind.RAMP, 2, 12, 0, 1000),
            segment("hold", Segment.Kind.HOLD, 12, 22, 1000, 1000));
    Measured m =
        new Simulation(directory, load)
            .target("{'service-time': '1ms', 'stalls': [{'at': '11s', 'for': '2s'}]}")
            .run();
    assertThat(m.scheduled("stage")).isEqualTo(200);
    assertThat(m.scheduled("ramp")).isEqualTo(5000);
    assertThat(m.scheduled("hold")).isEqualTo(10_000);
    assertThat(m.count("ramp", "started")).isEqualTo(5000);
    for (String segment : List.of("stage", "ramp", "hold")) {
      assertThat(m.closed(segment)).as(segment).isTrue();
    }
    // Due in the ramp after second 11, ended in the hold: A(12) - A(11) = 5000 - 4050.
    assertThat(m.count("ramp", "done") - m.count("ramp", "on_time")).isEqualTo(950);
  }

  /**
   * Retries lie inside one started transaction: the service time spans them all, they are counted
   * beside the equation. Mutation: restart the service clock at each attempt.
   */
  @Test
  void retriesLieInsideOneTransaction() throws Exception {
    Measured m =
        new Simulation(directory, open(4, 2, hold(100, 10)))
            .target("{'service-time': '5ms', 'errors-percent': 50}")
            .run();
    long retries = m.count("hold", "retries");
    assertThat(m.count("hold", "started")).isEqualTo(1000);
    // One attempt fails with 1/2; with two retries 1/8 fail for good and 3/4 are retries per start.
    assertThat(m.count("hold", "failed")).isBetween(90L, 160L);
    assertThat(retries).isBetween(680L, 820L);
    assertThat(m.closed("hold")).isTrue();
    Histogram service = m.histogram(FIND + "service");
    service.add(m.histogram(FIND + "failed"));
    assertThat(service.getTotalCount()).isEqualTo(1000);
    double attempts = service.getMean() * 1000 / (5 * MS);
    assertThat(attempts).isBetween((retries + 1000) * 0.999, (retries + 1000) * 1.001);
  }

  /** Whatever the attempts before took. Mutation: count connecting from the first attempt on. */
  @Test
  void phasesAreThoseOfTheLastAttempt() throws Exception {
    Measured m =
        new Simulation(directory, open(4, 2, hold(100, 10)))
            .target("{'service-time': '5ms', 'errors-percent': 50}")
            .run();
    assertThat(m.count("hold", "retries")).isPositive();
    assertThat(m.exactMax(FIND + "connect")).isZero();
    assertThat(m.exactMax(FIND + "search")).isEqualTo(5 * MS);
  }

  /**
   * A write without an answer is unknown, a read without one failed, and the ledger still closes.
   * Mutation: treat every failure as failed.
   */
  @Test
  void unansweredWritesAreUnknown() throws Exception {
    Measured m =
        new Simulation(directory, constant(4, 100, 10))
            .mix("{'update': 30, 'insert': 20, 'delete': 10, 'find-by-id-and-filter1': 40}")
            .store(store -> Stores.failing(new CallFailure("connection-lost", false, true, "gone")))
            .run();
    long writes =
        m.scheduled("hold")
            - m.lastLine()
                .getAsJsonObject("scheduled")
                .getAsJsonObject("hold")
                .get("find-by-id-and-filter1")
                .getAsLong();
    assertThat(m.count("hold", "unknown")).isEqualTo(writes).isPositive();
    assertThat(m.count("hold", "failed")).isEqualTo(1000 - writes);
    assertThat(m.lastLine().getAsJsonObject("error_samples").toString())
        .isEqualTo("{\"connection-lost\":\"gone\"}");
    assertThat(m.closed("hold")).isTrue();
  }

  /**
   * The closed model: each worker begins the next call when the last one ends. 4 workers at 10 ms
   * for 10 s make 4000 calls; half of them are active in the first half of a ramp. Mutation: ignore
   * the number of active workers.
   */
  @Test
  void closedModelFollowsTheActiveWorkers() throws Exception {
    LoadConfig load =
        Simulation.closed(
            4,
            new Segment("ramp", Segment.Kind.RAMP, 0, 10_000 * MS, 0, 0, 0, 4),
            new Segment("hold", Segment.Kind.HOLD, 10_000 * MS, 20_000 * MS, 0, 0, 4, 4));
    Measured m = new Simulation(directory, load).target("{'service-time': '10ms'}").run();
    assertThat(m.count("hold", "started")).isBetween(3996L, 4000L);
    // Worker k joins at 2.5 k s: 10 + 7.5 + 5 + 2.5 s of 100/s, each within one slice of 100 ms.
    assertThat(m.count("ramp", "started")).isBetween(2460L, 2504L);
    assertThat(m.histogram(FIND + "response").getTotalCount()).isZero();
    assertThat(m.closed("hold")).isTrue();
    assertThat(m.closed("ramp")).isTrue();
  }

  /** Equal within the resolution of three significant digits. */
  private static void assertClose(long actual, long expected) {
    assertThat((double) actual).isBetween(expected * 0.999, expected * 1.001);
  }

  // Runs of over an hour, on a virtual clock.

  /** 3701 s are two seconds an interval, and the segments change in the midst of one. */
  @Test
  void longerIntervalsHoldTheSame() throws IOException, InterruptedException {
    Segment warmUp = Simulation.segment("warm-up", Segment.Kind.WARM_UP, 0, 1000.5, 2, 2);
    Segment hold = Simulation.segment("hold", Segment.Kind.HOLD, 1000.5, 3701, 1, 1);
    Simulation simulation =
        new Simulation(directory, Simulation.open(1, 0, warmUp, hold))
            .target("{\"service-time\": \"30ms\"}");
    Measured measured = simulation.run();
    for (String segment : List.of("warm-up", "hold")) {
      assertThat(measured.closed(segment)).isTrue();
      long done = measured.count(segment, "done");
      assertThat(measured.sum(segment, "service").getTotalCount()).isEqualTo(done);
      assertThat(measured.sum(segment, "response").getTotalCount()).isEqualTo(done);
    }
    assertThat(measured.scheduled("hold")).isBetween(2700L, 2701L);
    assertThat(measured.exactMax("hold/find-by-id-and-filter1/service")).isEqualTo(30_000_000);
    List<JsonObject> lines = measured.lines();
    assertThat(lines).hasSize(1851);
    long end = 0;
    long due = 0;
    for (JsonObject line : lines) {
      assertThat(line.get("from_ns").getAsLong()).isEqualTo(end);
      end = line.get("to_ns").getAsLong();
      for (var segment : line.getAsJsonObject("due").entrySet()) {
        due += segment.getValue().getAsLong();
      }
    }
    assertThat(due).isEqualTo(measured.scheduled("warm-up") + measured.scheduled("hold"));
  }
}
