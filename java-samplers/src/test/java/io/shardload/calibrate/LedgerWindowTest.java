package io.shardload.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hand-written ledger of four seconds, of which the second and third are the window. */
class LedgerWindowTest {
  private static final String END = "{\"final\":true,\"format\":2}\n";

  @TempDir Path bundle;

  @Test
  void countsBetweenTheFirstLineAndTheOneThatEndsTheWindow() throws IOException {
    write(line(1, 10, 100) + line(2, 30, 1000) + line(3, 60, 2000) + line(4, 90, 4) + END);
    // 1000 + 2000 transactions from second 1 to second 3, for 60 - 10 ns of processor time.
    assertThat(LedgerWindow.read(bundle, 2))
        .isEqualTo(new Measured(3000, 2_000_000_000L, 50, 3104));
  }

  @Test
  void refusesALedgerWithoutItsEnd() throws IOException {
    write(line(1, 10, 100) + line(2, 30, 1000) + line(3, 60, 2000));
    assertThatThrownBy(() -> LedgerWindow.read(bundle, 1)).hasMessageContaining("final");
  }

  @Test
  void refusesALedgerThatIsTooShort() throws IOException {
    write(line(1, 10, 100) + line(2, 30, 1000) + line(3, 40, 5) + END);
    assertThatThrownBy(() -> LedgerWindow.read(bundle, 3)).hasMessageContaining("too late");
  }

  @Test
  void refusesFailures() throws IOException {
    write(
        line(1, 10, 100)
            + line(2, 30, 1000).replace("\"done\":1000", "\"done\":999")
            + line(3, 60, 2000)
            + line(4, 90, 4)
            + END);
    assertThatThrownBy(() -> LedgerWindow.read(bundle, 1)).hasMessageContaining("3104");
  }

  private static String line(int toSeconds, long cpuNanos, long done) {
    return ("{\"to_ns\":%d000000000,\"cpu_ns\":%d,\"segments\":{\"hold\":{\"x\":"
            + "{\"started\":%d,\"done\":%d,\"missing\":0}}}}%n")
        .formatted(toSeconds, cpuNanos, done, done);
  }

  private void write(String ledger) throws IOException {
    Path folder = Files.createDirectories(bundle.resolve("latencies"));
    Files.writeString(folder.resolve("generator-0.jsonl"), ledger);
  }
}
