package io.shardload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Application names are what servers keep of them, and tell runs and roles apart.
 *
 * <p>Mutations that turned it red: the hash left out; the readable part not cut; what is not ASCII
 * let through; one prefix for both roles.
 */
class SessionTest {
  private static final String LONG = "20260101-120000-a-target-with-quite-a-long-name-smoke-";

  private static Session generator(String runId) {
    return new Session(runId, 1, Duration.ofSeconds(1));
  }

  @Test
  void ordinaryNamesStayAsTheyAre() {
    assertThat(generator("run-1").applicationName()).isEqualTo("shardload-run-1");
    assertThat(generator("run-1").asController().applicationName())
        .isEqualTo("shardload controller run-1");
    assertThat(generator("x".repeat(53)).applicationName())
        .isEqualTo("shardload-" + "x".repeat(53));
  }

  @Test
  void everyNameFitsAndIsItsRunsAlone() {
    Stream<String> runs =
        Stream.of(
            LONG + "1",
            LONG + "2",
            LONG.repeat(3),
            "x".repeat(53),
            "x".repeat(54),
            "zürich",
            "zörich",
            "z_rich",
            "\ud83d\ude00",
            "a b",
            "a\tb",
            "");
    assertThat(runs.flatMap(run -> Stream.of(generator(run), generator(run).asController())))
        .extracting(Session::applicationName)
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("shardload[ -][ -~]*") && name.length() <= 63);
    assertThat(generator(LONG + "1").applicationName())
        .hasSize(63)
        .startsWith("shardload-20260101-120000-a-target-");
    assertThat(generator("zürich").applicationName()).startsWith("shardload-z_rich~");
  }
}
