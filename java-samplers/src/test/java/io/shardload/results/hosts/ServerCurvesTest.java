package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two machines of servers and one of a generator, on a grid of 1 s. */
class ServerCurvesTest {
  private static final double NONE = Double.NaN;

  private static final HostMetrics METRICS =
      new HostMetrics(
          HostMetrics.STORE,
          "",
          1,
          List.of(
              new HostSeries(
                  "db1",
                  "shard",
                  true,
                  4,
                  Map.of(
                      Figure.CPU, new double[] {0.1, 0.3, 0.9, NONE, NONE},
                      Figure.READS, new double[] {10, 30, 0, 0, 5},
                      Figure.WRITES, new double[] {0, 0, 0, 0, 0},
                      Figure.READ_LATENCY, new double[] {0.001, 0.003, NONE, NONE, 0.002})),
              new HostSeries(
                  "db2",
                  "shard",
                  true,
                  4,
                  Map.of(
                      Figure.CPU, new double[] {0.2, 0.2, 0.2, 0.2, 0.2},
                      Figure.READS, new double[] {0, 40, 0, NONE, 5},
                      Figure.WRITES, new double[] {1, 1, 1, 1, 1},
                      Figure.READ_LATENCY, new double[] {NONE, 0.004, NONE, NONE, 0.004})),
              new HostSeries(
                  "load", "generator", false, 2, Map.of(Figure.CPU, new double[] {1, 1, 1, 1, 1}))),
          List.of());

  private static ServerMachines all(HostMetrics metrics) {
    return new ServerMachines(metrics, metrics.servers(), metrics.servers().size(), false);
  }

  private static double[] of(Figure figure, double width) {
    return ServerCurves.of(all(METRICS), width, 4.5, use -> use.value(figure));
  }

  /** A sum needs every machine; the interval of the file beyond the run's end counts half. */
  @Test
  void machinesAddUp() {
    assertThat(of(Figure.READS, 1)).containsExactly(10, 70, 0, NONE, 10);
    assertThat(of(Figure.WRITES, 2)).containsExactly(1, 1, 1);
    assertThat(ServerCurves.of(all(METRICS), 1, 4.5, ServerUse::iops))
        .containsExactly(11, 71, 1, NONE, 11);
  }

  /** db2 is idle, but while db1 says nothing it is not the busiest one. */
  @Test
  void theBusiestMachineIsNotKnownWhileOneIsNot() {
    assertThat(of(Figure.CPU, 1)).containsExactly(0.2, 0.3, 0.9, NONE, NONE);
  }

  /** One of two machines has figures. */
  @Test
  void withoutAMachineNothingIsKnown() {
    HostMetrics one = new HostMetrics("store", "", 1, List.of(METRICS.hosts().get(1)), List.of());
    ServerMachines half = new ServerMachines(one, one.servers(), 2, false);
    assertThat(ServerCurves.of(half, 1, 2, use -> use.value(Figure.CPU)))
        .containsExactly(NONE, NONE);
    assertThat(ServerCurves.of(all(one), 1, 2, use -> use.value(Figure.CPU)))
        .containsExactly(0.2, 0.2);
  }

  /** Over two seconds (10 x 1 + 30 x 3 + 40 x 4) / 80 = 3.25 ms; without a read there is none. */
  @Test
  void latenciesWeighByOperations() {
    assertThat(of(Figure.READ_LATENCY, 1))
        .containsExactly(new double[] {0.001, 0.25 / 70, NONE, NONE, 0.003}, within(1e-12));
    assertThat(of(Figure.READ_LATENCY, 2)[0]).isCloseTo(0.00325, within(1e-12));
  }

  @Test
  void withoutServersNothingIsKnown() {
    HostMetrics load = new HostMetrics("store", "", 1, List.of(METRICS.hosts().get(2)), List.of());
    assertThat(ServerCurves.of(all(load), 1, 2, use -> use.value(Figure.CPU)))
        .containsExactly(NONE, NONE);
  }
}
