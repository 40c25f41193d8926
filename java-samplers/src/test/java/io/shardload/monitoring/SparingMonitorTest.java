package io.shardload.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Time is the test's own. */
class SparingMonitorTest {
  private final FakeMonitor fake = new FakeMonitor();
  private final List<String> lines = new ArrayList<>();
  private long nanos = -5;

  private SparingMonitor monitor() {
    return new SparingMonitor(fake, () -> nanos);
  }

  @Test
  void manyScrapersAskTheServersOnceASecond() {
    fake.answer(1, Map.of()).answer(2, Map.of());
    SparingMonitor monitor = monitor();
    assertThat(value(monitor)).isEqualTo(1);
    nanos += 999_999_999;
    assertThat(value(monitor)).isEqualTo(1);
    assertThat(fake.reads).isEqualTo(1);
    nanos += 1;
    assertThat(value(monitor)).isEqualTo(2);
    assertThat(fake.reads).isEqualTo(2);
    monitor.close();
    assertThat(fake.closed).isTrue();
  }

  private static double value(SparingMonitor monitor) {
    return monitor.read().all().get(0).value();
  }

  @Test
  void whatIsNotReportedIsSaidOnceForEachReason() {
    Map<String, String> two =
        Map.of("a:1 io", "too old", "a:1 wal", "forbidden", "b:2 io", "too old");
    fake.answer(1, two).answer(1, two);
    fake.answer(1, Map.of("a:1 io", "too old", "a:1 wal", "slow", "b:2 io", "too old"));
    fake.answer(1, Map.of("a:1 io", "too old", "b:2 io", "too old"));
    SparingMonitor monitor = monitor();
    assertThat(heard(monitor))
        .containsExactly(
            "warning: not reported: a:1 wal: forbidden",
            "warning: not reported: a:1 io, b:2 io: too old");
    assertThat(heard(monitor)).isEmpty();
    assertThat(heard(monitor)).containsExactly("warning: not reported: a:1 wal: slow");
    assertThat(heard(monitor)).containsExactly("reported again: a:1 wal");
  }

  /** Nobody knows what a server that is down would report. */
  @Test
  void aServerThatIsDownDoesNotReportItsPartsAgain() {
    fake.answer(1, Map.of("a:1 io", "too old"));
    fake.answer(0, Map.of("a:1 connection", "refused"));
    fake.answer(1, Map.of("a:1 io", "too old"));
    SparingMonitor monitor = monitor();
    assertThat(heard(monitor)).containsExactly("warning: not reported: a:1 io: too old");
    assertThat(heard(monitor)).containsExactly("warning: not reported: a:1 connection: refused");
    assertThat(heard(monitor)).containsExactly("reported again: a:1 connection");
  }

  private List<String> heard(SparingMonitor monitor) {
    lines.clear();
    monitor.read(lines::add);
    nanos += 1_000_000_000;
    return List.copyOf(lines);
  }
}
