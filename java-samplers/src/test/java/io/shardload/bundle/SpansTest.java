package io.shardload.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.GeneratorLog.Burst;
import io.shardload.bundle.GeneratorLog.Span;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Silences and bursts of errors as readers get them, by ledgers written by hand. */
class SpansTest {
  private static final String MS = "000000";

  @TempDir Path folder;

  /** A ledger of these lines, with times in milliseconds after each {@code @}. */
  private GeneratorLog ledger(String stream, String... lines) throws IOException {
    Path file = new BundleLayout(folder).ledger(stream);
    Files.createDirectories(file.getParent());
    Files.writeString(
        file, String.join("\n", lines).replaceAll("@(\\d+)", "$1" + MS).replace('\'', '"') + "\n");
    return stream.equals(BundleLayout.MERGED)
        ? BundleReader.merged(folder)
        : BundleReader.generator(folder, Integer.parseInt(stream.substring(10)));
  }

  private static Span span(long from, long to) {
    return new Span(from * 1_000_000, to * 1_000_000);
  }

  private static Burst burst(long from, long to, long count) {
    return new Burst(from * 1_000_000, to * 1_000_000, count);
  }

  /** Mutations: read the final line, too; the first span of a line alone. */
  @Test
  void aLedgerHasThemInOrder() throws IOException {
    GeneratorLog log =
        ledger(
            "generator-0",
            "{'to_ns':@1000}",
            "{'to_ns':@2000,'silences':[[@900,@1100],[@1200,@1900]],'error_bursts':[[@910,@910,1]]}",
            "{'to_ns':@3000,'silences':[[@2100,@2250]],'error_bursts':[[@2100,@2900,7]]}",
            "{'final':true,'silences':[[@1,@2]],'error_bursts':[[@1,@2,3]]}");
    assertThat(log.silences()).containsExactly(span(900, 1100), span(1200, 1900), span(2100, 2250));
    assertThat(log.errorBursts()).containsExactly(burst(910, 910, 1), burst(2100, 2900, 7));
  }

  /** A file from anywhere: its bad entries are left out. */
  @Test
  void whatIsNotASpanIsLeftOut() throws IOException {
    GeneratorLog log =
        ledger(
            "generator-0",
            "{'silences':[3,[1],{},[@1,@2,@3],[@5,@205]],'error_bursts':'none'}",
            "{'silences':{}}");
    assertThat(log.silences()).containsExactly(span(5, 205));
    assertThat(log.errorBursts()).isEmpty();
  }

  /**
   * Mutations: the silences of one generator; of each; go on in the list whose span ends later;
   * keep a common span of 50 ms; the longest burst instead of the sum.
   */
  @Test
  void ofAllGeneratorsSilencesAreCommonAndBurstsJoined() throws IOException {
    ledger(
        "generator-0",
        "{'silences':[[@1000,@5000],[@6000,@6180]],'error_bursts':[[@1000,@1300,5]]}",
        "{'silences':[[@9000,@9500]],'error_bursts':[[@4000,@4100,2],[@9000,@9000,1]]}");
    ledger(
        "generator-1",
        "{'silences':[[@500,@1100],[@1200,@2000],[@2100,@6100],[@6120,@9400]]}",
        "{'error_bursts':[[@1200,@1250,3],[@1399,@1500,4],[@4200,@4300,8],[@9000,@9700,1]]}");
    GeneratorLog merged = ledger(BundleLayout.MERGED, "{'to_ns':@10000}");
    assertThat(merged.silences())
        .containsExactly(
            span(1000, 1100),
            span(1200, 2000),
            span(2100, 5000),
            span(6000, 6100),
            span(9000, 9400));
    assertThat(merged.errorBursts())
        .containsExactly(
            burst(1000, 1500, 12),
            burst(4000, 4100, 2),
            burst(4200, 4300, 8),
            burst(9000, 9700, 2));
  }

  /**
   * The first died in a silence, the second stopped early, and the third went on. Mutations: those
   * that ended count no more; the first was silent from its last line on.
   */
  @Test
  void aGeneratorThatEndedIsSilent() throws IOException {
    ledger("generator-0", "{'to_ns':@1000}", "{'to_ns':@2000,'silent_since_ns':@1400}");
    ledger(
        "generator-1",
        "{'to_ns':@3000,'silences':[[@1300,@2100]]}",
        "{'final':true,'actual_end_ns':@2900}");
    ledger(
        "generator-2",
        "{'to_ns':@4000,'silences':[[@1000,@1900],[@2000,@2800],[@2850,@3500]]}",
        "{'to_ns':@5000,'silences':[[@4100,@4300]]}",
        "{'final':true,'actual_end_ns':@5000}");
    assertThat(ledger(BundleLayout.MERGED, "{'to_ns':@5000}").silences())
        .containsExactly(span(1400, 1900), span(2000, 2100), span(2900, 3500), span(4100, 4300));
  }

  /** Mutation: only of several generators. */
  @Test
  void aSilenceInWhichAGeneratorDiedLastsToItsLastLine() throws IOException {
    assertThat(ledger("generator-0", "{'to_ns':@2000,'silent_since_ns':@1400}").silences())
        .containsExactly(span(1400, 2000));
  }

  @Test
  void aRunWithoutFaultsHasNone() throws IOException {
    assertThat(ledger("generator-0", "{'to_ns':@1000}").silences()).isEmpty();
    assertThat(ledger(BundleLayout.MERGED, "{'to_ns':@1000}").errorBursts()).isEmpty();
  }

  /** In a run of over an hour a line is the sum of several. Mutation: keep the last alone. */
  @Test
  void theSumOfLinesHasThoseOfAll() {
    LedgerSum sum = new LedgerSum();
    sum.add(BundleFixture.parse("{'from_ns':0,'silences':[[1,2]]}"));
    sum.add(BundleFixture.parse("{'from_ns':5,'error_bursts':[[3,4,5]]}"));
    sum.add(BundleFixture.parse("{'from_ns':6,'silences':[[6,7],[8,9]],'error_bursts':[[6,6,1]]}"));
    sum.add(BundleFixture.parse("{'from_ns':9}"));
    var line = sum.take();
    assertThat(line.get("silences")).hasToString("[[1,2],[6,7],[8,9]]");
    assertThat(line.get("error_bursts")).hasToString("[[3,4,5],[6,6,1]]");
  }
}
