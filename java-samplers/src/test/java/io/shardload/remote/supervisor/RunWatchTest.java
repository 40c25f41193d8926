package io.shardload.remote.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunWatchTest {
  private final RunWatch watch = new RunWatch(30, 15, 0);

  @Test
  void anIdleEngineMayWaitForEver() {
    assertThat(watch.hear("Created remote object", seconds(1))).isEmpty();
    assertThat(watch.hear("shardload: alive", seconds(1))).isEmpty();
    assertThat(overdueBy(100)).isEmpty();
  }

  @Test
  void aRunThatGivesNoSignOfLifeIsOverdue() {
    assertThat(watch.hear("shardload: begun r1", seconds(0))).contains("run r1 begun");
    for (int second = 1; second <= 10; second++) {
      assertThat(watch.hear("shardload: alive", seconds(second))).isEmpty();
    }
    assertThat(overdueBy(39)).isEmpty();
    assertThat(overdueBy(40)).contains("run r1 sent no message for 30 s");
  }

  @Test
  void whatStaysAfterTheEndOfItsRunIsOverdue() {
    watch.hear("shardload: begun r1", seconds(0));
    assertThat(watch.hear("shardload: ended r1", seconds(10))).contains("run r1 ended");
    watch.hear("shardload: alive", seconds(20));
    assertThat(overdueBy(24)).isEmpty();
    assertThat(overdueBy(25)).contains("it did not exit within 15 s after the end of run r1");
  }

  @Test
  void aPauseOfTheSupervisorItselfBlamesNobody() {
    watch.hear("shardload: begun r1", seconds(0));
    assertThat(overdueBy(10)).isEmpty();
    assertThat(watch.overdue(seconds(1_000))).isEmpty();
    assertThat(overdueBy(1_019)).isEmpty();
    assertThat(overdueBy(1_021)).contains("run r1 sent no message for 30 s");
  }

  private long lastSecond;

  /** The first complaint while time goes on second by second. */
  private Optional<String> overdueBy(long second) {
    Optional<String> found = Optional.empty();
    while (found.isEmpty() && lastSecond < second) {
      lastSecond++;
      if (lastSecond < 1_000 && second > 1_000) {
        lastSecond = 1_000;
      }
      found = watch.overdue(seconds(lastSecond));
    }
    return found;
  }

  private static long seconds(long seconds) {
    return seconds * 1_000_000_000L;
  }
}
