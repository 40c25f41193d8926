package io.shardload.generator;

import static io.shardload.generator.Simulation.constant;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.generator.schedule.LoadConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spans without answers and with errors, by looks at times that the test chooses. Times in
 * milliseconds.
 */
class SilencesTest {
  private static final long MS = 1_000_000;

  @TempDir Path directory;

  private final Silences silences = new Silences();
  private long answered;
  private long errors;

  private void look(long atMillis, long newAnswers, long newErrors) {
    answered += newAnswers;
    errors += newErrors;
    silences.look(atMillis * MS, answered, errors);
  }

  /** Looks every 10 ms after one time up to another. */
  private void looks(long from, long to, LongPredicate answers, LongPredicate fails) {
    for (long at = from + 10; at <= to; at += 10) {
      look(at, answers.test(at) ? 3 : 0, fails.test(at) ? 2 : 0);
    }
  }

  private String line() {
    JsonObject line = new JsonObject();
    silences.describe(line);
    return inMillis(line);
  }

  /** The spans of a ledger line, each time in milliseconds. */
  private static String inMillis(JsonObject line) {
    StringBuilder text = new StringBuilder();
    for (String key : List.of("silences", "error_bursts")) {
      if (line.has(key)) {
        text.append(key);
        for (var span : line.getAsJsonArray(key)) {
          JsonArray numbers = span.getAsJsonArray();
          text.append(' ').append(numbers.get(0).getAsLong() / MS);
          text.append('-').append(numbers.get(1).getAsLong() / MS);
          text.append(numbers.size() == 3 ? ":" + numbers.get(2) : "");
        }
        text.append(';');
      }
    }
    return text.toString();
  }

  /** Mutation: its begin also once it has ended, or while it is short. */
  @Test
  void aLineSaysSinceWhenItIsSilent() {
    looks(0, 1000, at -> at <= 950, at -> false);
    assertThat(silentSince()).isNull();
    looks(1000, 3000, at -> false, at -> false);
    assertThat(silentSince().getAsLong()).isEqualTo(950 * MS);
    looks(3000, 4000, at -> true, at -> false);
    assertThat(silentSince()).isNull();
  }

  private JsonElement silentSince() {
    JsonObject line = new JsonObject();
    silences.describe(line);
    return line.get("silent_since_ns");
  }

  /** Mutations: report a silence that is open; forget where it began when a line is written. */
  @Test
  void aSilenceAcrossTwoLinesIsInTheLineInWhichItEnds() {
    looks(0, 1000, at -> at <= 950, at -> false);
    assertThat(line()).isEmpty();
    looks(1000, 2000, at -> at > 1420, at -> false);
    assertThat(line()).isEqualTo("silences 950-1420;");
    looks(2000, 3000, at -> true, at -> false);
    silences.end();
    assertThat(line()).isEmpty();
  }

  /** Mutation: leave the open ones out. */
  @Test
  void whatIsOpenAtTheEndEndsWithTheLastLook() {
    looks(0, 2000, at -> at <= 700, at -> at > 800);
    assertThat(line()).isEmpty();
    silences.end();
    assertThat(line()).isEqualTo("silences 700-2000;error_bursts 810-2000:240;");
    silences.end();
    assertThat(line()).isEmpty();
  }

  /** The run begins without an answer. Mutation: a silence needs an answer before it. */
  @Test
  void theFirstSilenceBeginsWithTheRun() {
    looks(0, 500, at -> at > 200, at -> false);
    assertThat(line()).isEqualTo("silences 0-200;");
  }

  /** Mutation: the shortest silence of 90 ms, or of 110 ms. */
  @Test
  void aSilenceLastsAtLeast100Milliseconds() {
    looks(0, 500, at -> at <= 200 || at > 290, at -> false);
    assertThat(line()).isEmpty();
    looks(500, 1000, at -> at <= 700 || at > 800, at -> false);
    assertThat(line()).isEqualTo("silences 700-800;");
  }

  /** Mutations: end a burst at the first look without errors; never end it. */
  @Test
  void errorsThatAreLessThan100MillisecondsApartAreOneBurst() {
    looks(0, 2000, at -> true, at -> at == 300 || at == 390 || at == 480 || at == 590);
    assertThat(line()).isEqualTo("error_bursts 300-480:6 590-590:2;");
    looks(2000, 2050, at -> true, at -> at == 2050);
    assertThat(line()).isEmpty();
    silences.end();
    assertThat(line()).isEqualTo("error_bursts 2050-2050:2;");
  }

  /** Five calls a second: between two of them there is no answer. */
  @Test
  void atALowRateEachGapIsASilence() {
    looks(0, 1000, at -> at % 200 == 0, at -> false);
    assertThat(line()).isEqualTo("silences 0-190 200-390 400-590 600-790 800-990;");
  }

  /** The process paused for 300 ms. Mutation: count the whole time before a late look. */
  @Test
  void aLateLookAloneIsNoSilence() {
    looks(0, 500, at -> true, at -> false);
    look(800, 0, 0);
    look(810, 5, 0);
    looks(810, 1000, at -> true, at -> false);
    assertThat(line()).isEmpty();
  }

  /** Mutation: begin again after a late look. */
  @Test
  void aPauseWithinASilenceDoesNotDivideIt() {
    looks(0, 500, at -> true, at -> false);
    looks(500, 600, at -> false, at -> at == 600);
    look(900, 0, 0);
    looks(900, 1000, at -> false, at -> false);
    look(1300, 7, 1);
    assertThat(line()).isEqualTo("silences 500-1000;error_bursts 600-600:2;");
    silences.end();
    assertThat(line()).isEqualTo("error_bursts 1300-1300:1;");
  }

  /** A stop sets the end to a time before the last look. */
  @Test
  void timeDoesNotGoBack() {
    looks(0, 500, at -> at <= 100, at -> false);
    look(495, 0, 1);
    silences.end();
    assertThat(line()).isEqualTo("silences 100-500;error_bursts 500-500:1;");
  }

  /**
   * A server that answers nothing from 0.5 s to 1.2 s, and the run's own last second: calls of 1.4
   * s go on after the end. Mutation: look on after the end of the run.
   */
  @Test
  void aRunReportsThemInItsLedger() throws Exception {
    LoadConfig load = constant(16, 200, 2);
    String stall = "{'service-time': '1ms', 'stalls': [{'at': '%s', 'for': '%s'}]}";
    Simulation stalled = new Simulation(directory.resolve("stalled"), load).looking();
    Measured m = stalled.target(stall.formatted("500ms", "700ms")).run();
    assertThat(m.lines().stream().map(SilencesTest::inMillis))
        .containsExactly("", "silences 500-1200;");
    Simulation hanging = new Simulation(directory.resolve("hanging"), load).looking();
    m = hanging.target(stall.formatted("1500ms", "1400ms")).run();
    assertThat(m.lines().stream().map(SilencesTest::inMillis))
        .containsExactly("", "silences 1500-2000;");
    assertThat(m.lastLine().has("silences")).isFalse();
  }

  /** All 400 calls fail. Mutation: write the last line without what is open. */
  @Test
  void whatIsOpenAtTheEndOfARunIsInItsLastLine() throws Exception {
    Measured m =
        new Simulation(directory, constant(16, 200, 2))
            .looking()
            .target("{'service-time': '1ms', 'errors-percent': 100}")
            .run();
    assertThat(m.lines().stream().map(SilencesTest::inMillis))
        .containsExactly("", "silences 0-2000;error_bursts 10-2000:400;");
  }

  /** Mutation: look whatever was asked for. */
  @Test
  void aRunWithoutLooksReportsNone() throws Exception {
    Measured m =
        new Simulation(directory, constant(16, 200, 2))
            .target("{'service-time': '1ms', 'stalls': [{'at': '500ms', 'for': '700ms'}]}")
            .run();
    assertThat(m.lines()).noneMatch(line -> line.has("silences"));
  }
}
