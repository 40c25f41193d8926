package io.shardload.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class FollowingMonitorTest {
  private final List<String> opened = new ArrayList<>();
  private final List<FakeMonitor> monitors = new ArrayList<>();
  private Optional<String> address = Optional.empty();
  private boolean refuses;

  private ServerMonitor open(String url) {
    if (refuses) {
      throw new IllegalStateException("starting up");
    }
    opened.add(url);
    FakeMonitor monitor = new FakeMonitor().answer(opened.size(), Map.of());
    monitors.add(monitor);
    return monitor;
  }

  @Test
  void aServerIsFoundWhereverItIsStartedAnew() {
    try (FollowingMonitor monitor = new FollowingMonitor(() -> address, this::open, "no run")) {
      assertNothing(monitor, "no run");
      address = Optional.of("one");
      refuses = true;
      assertNothing(monitor, "starting up");
      refuses = false;
      monitor.read();
      assertThat(monitor.read().all().get(0).value()).isEqualTo(1);
      assertThat(opened).containsExactly("one");

      address = Optional.of("two");
      assertThat(monitor.read().all().get(0).value()).isEqualTo(2);
      assertThat(monitors.get(0).closed).isTrue();
      address = Optional.empty();
      assertNothing(monitor, "no run");
      assertThat(monitors.get(1).closed).isTrue();
      address = Optional.of("two");
      assertThat(monitor.read().all().get(0).value()).isEqualTo(3);
    }
    assertThat(monitors).allMatch(each -> each.closed);
  }

  @Test
  void anAddressThatCannotBeReadIsARefusal() {
    Supplier<Optional<String>> unreadable =
        () -> {
          if (refuses) {
            throw new IllegalStateException("no file");
          }
          return Optional.of("one");
        };
    try (FollowingMonitor monitor = new FollowingMonitor(unreadable, this::open, "no run")) {
      refuses = true;
      assertNothing(monitor, "no file");
      refuses = false;
      assertThat(monitor.read().all().get(0).value()).isEqualTo(1);
    }
  }

  private static void assertNothing(FollowingMonitor monitor, String reason) {
    Readings readings = monitor.read();
    assertThat(readings.all()).isEmpty();
    assertThat(readings.refused()).containsExactly(Map.entry("server connection", reason));
  }
}
