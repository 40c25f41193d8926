package io.shardload.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Time is the test's own. */
class SparingMonitorTest {
  private final FakeMonitor fake = new FakeMonitor();
  private final List<String> lines = new ArrayList<>();
  private long nanos = -5;

  private final List<String> opened = new ArrayList<>();
  private final List<FakeMonitor> monitors = new ArrayList<>();
  private Optional<String> address = Optional.empty();
  private boolean refuses;

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

  /** A fake that answers what it was told to, and the last of it again and again. */
  private static final class FakeMonitor implements ServerMonitor {
    private final Deque<Readings> answers = new ArrayDeque<>();
    int reads;
    boolean closed;

    FakeMonitor answer(double value, Map<String, String> refused) {
      answers.add(new Readings(List.of(Reading.gauge("up", "Up.", Map.of(), value)), refused));
      return this;
    }

    @Override
    public Readings read() {
      reads++;
      return answers.size() > 1 ? answers.remove() : answers.element();
    }

    @Override
    public List<ServerHost> hosts() {
      return List.of();
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
