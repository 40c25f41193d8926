package io.shardload.bundle;

import static io.shardload.bundle.BundleFixture.parse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundleReaderTest {
  private static final String FINAL =
      "{\"final\":true,\"format\":2,\"actual_end_ns\":7,\"hlog_bytes\":9}\n";
  private static final int MEBIBYTE = 1 << 20;

  @TempDir Path folder;

  private final LedgerSum sum = new LedgerSum();

  /** Mutation: keep the lines of a ledger, and 18 000 more lines take some 60 MB more. */
  @Test
  void memoryDoesNotGrowWithTheNumberOfLines() throws IOException {
    long few = retainedBytes(1_000);
    long many = retainedBytes(8_000);
    assertThat(many - few).isLessThan(3 * MEBIBYTE);
  }

  /**
   * The last line of the file would be in the report, in junit.xml and in a build's description.
   */
  @Test
  void aLinkToAFileOfThisMachineIsNotRead() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "password");
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    BundleLayout layout = new BundleLayout(bundle);
    Files.writeString(layout.run(), "{}");
    Files.createSymbolicLink(bundle.resolve("summary.json.part"), secret);
    Path linked = Files.createSymbolicLink(folder.resolve("by-another-name"), bundle);
    assertThat(BundleReader.read(linked).run().isEmpty()).isTrue();
    Files.createDirectories(layout.error(0).getParent());
    Files.createSymbolicLink(layout.error(0), secret);
    assertThatThrownBy(() -> BundleReader.read(linked))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("generator-0.error is a link");
    assertThatThrownBy(() -> BundleReader.readFacts(bundle)).isInstanceOf(IOException.class);
  }

  private long retainedBytes(int lines) throws IOException {
    Path file = ledger(lines);
    long before = usedBytes();
    GeneratorLog generator = BundleReader.generator(folder, 0);
    long[] started = new long[1];
    generator.forEachLine(
        line ->
            line.segments()
                .get("hold")
                .forEach((name, counts) -> started[0] += counts.get(Counts.Field.STARTED)));
    long retained = usedBytes() - before;
    assertThat(started[0]).isEqualTo(10L * lines);
    assertThat(generator.extent().lines()).isEqualTo(lines);
    Files.delete(file);
    return retained;
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Lines of ten transactions, one operation each. */
  private Path ledger(int lines) throws IOException {
    StringBuilder transactions = new StringBuilder();
    for (int t = 0; t < 10; t++) {
      transactions.append(t == 0 ? "" : ",").append("\"t").append(t);
      transactions.append("\":{\"started\":1,\"done\":1,\"max_ns\":{\"service\":5}}");
    }
    Path file = file();
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (int i = 0; i < lines; i++) {
        writer.write(line(i, "\"hold\":{" + transactions + "}"));
      }
    }
    return file;
  }

  private Path file() throws IOException {
    return Files.createDirectories(folder.resolve("latencies")).resolve("generator-0.jsonl");
  }

  private static String line(long second, String segments) {
    return "{\"from_ns\":%d,\"to_ns\":%d,\"epoch_ms\":%d,\"hlog_bytes\":%d,\"segments\":{%s}}\n"
        .formatted(second, second + 1, 1000 * second, 10 * second, segments);
  }

  private GeneratorLog read(String ledger) throws IOException {
    Files.writeString(file(), ledger);
    return BundleReader.generator(folder, 0);
  }

  private static List<Long> ends(GeneratorLog generator) {
    List<Long> ends = new ArrayList<>();
    generator.forEachLine(line -> ends.add(line.toNanos()));
    return ends;
  }

  /** Its counters may mean something else. Mutation: leave the number unread. */
  @Test
  void anotherFormatIsAProblem() throws IOException {
    assertThat(read(line(1, "") + FINAL.replace("2", "3")).problems())
        .containsExactly("the ledger of generator 0 has format 3, not 2");
  }

  @Test
  void readsTheLinesInOrderAsOftenAsAsked() throws IOException {
    GeneratorLog generator = read(line(1, "") + line(2, "") + "\n" + FINAL);
    assertThat(ends(generator)).containsExactly(2L, 3L);
    assertThat(ends(generator)).containsExactly(2L, 3L);
    assertThat(generator.extent()).isEqualTo(new GeneratorLog.Extent(2, 1000, 2000, 3, 3, 20, 0));
    assertThat(generator.end().hlogBytes()).isEqualTo(9);
    assertThat(generator.endNanos()).isEqualTo(7);
    assertThat(generator.problems()).isEmpty();
  }

  @Test
  void tornLastLineIsLeftOut() throws IOException {
    GeneratorLog generator = read(line(1, "") + line(2, "").substring(0, 30));
    assertThat(ends(generator)).containsExactly(2L);
    assertThat(generator.end()).isNull();
    assertThat(generator.hlogBytes()).isEqualTo(10);
    assertThat(generator.endNanos()).isEqualTo(2);
    assertThat(generator.problems()).isEmpty();
  }

  @Test
  void anyOtherLineThatCannotBeReadIsAProblem() throws IOException {
    GeneratorLog middle = read(line(1, "") + "{\"to_ns\"\n" + line(2, ""));
    assertThat(middle.problems()).containsExactly("ledger line 2 of generator 0 cannot be read");
    assertThat(ends(middle)).containsExactly(2L, 3L);
    assertThat(read(line(1, "") + "torn\n").problems())
        .containsExactly("ledger line 2 of generator 0 cannot be read");
  }

  @Test
  void noLedgerIsNoLine() throws IOException {
    GeneratorLog generator = BundleReader.generator(folder, 3);
    assertThat(ends(generator)).isEmpty();
    assertThat(generator.endNanos()).isZero();
    assertThat(generator.hlogBytes()).isZero();
  }

  @Test
  void replacesAFileAndLeavesNoOther() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "old");
    WholeFile.writeJson(file, BundleFixture.parse("{'a':null,'b':'<=>'}"));
    assertThat(file).hasContent("{\n  \"a\": null,\n  \"b\": \"<=>\"\n}\n");
    assertThat(folder).isDirectoryContaining(file::equals).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void leavesTheOldFileWhenItCannotWrite() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "old");
    // A lone surrogate has no encoding in UTF-8; it comes after text that fills the buffer.
    String unwritable = "x".repeat(100_000) + "\ud800";
    assertThatThrownBy(() -> WholeFile.write(file, unwritable)).isInstanceOf(IOException.class);
    assertThat(file).hasContent("old");
    assertThat(folder).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void aLinkInABundleFromElsewhereLeadsNowhere() throws IOException {
    Path outside = Files.writeString(folder.resolve("outside"), "precious");
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    Files.createSymbolicLink(bundle.resolve("x.json"), outside);
    Files.createSymbolicLink(bundle.resolve("x.json.part"), outside);
    WholeFile.write(bundle.resolve("x.json"), "new");
    assertThat(outside).hasContent("precious");
    assertThat(bundle.resolve("x.json")).hasContent("new");
    assertThat(Files.isSymbolicLink(bundle.resolve("x.json"))).isFalse();
  }

  @Test
  void addsCountersAndKeepsTheLongestDurations() {
    sum.add(
        parse(
            "{'seq':0,'from_ns':0,'to_ns':1,'cpu_ns':5,'backlog':7,'oldest_unfinished_ns':9,"
                + "'due':{'warm-up':3},'segments':{'warm-up':{'update':{'started':3,'done':2,"
                + "'longest_wait_ns':40,'errors':{'x':1},'max_ns':{'wait':4}}}}}"));
    sum.add(
        parse(
            "{'seq':1,'from_ns':1,'to_ns':2,'cpu_ns':6,'backlog':1,'due':{'warm-up':2,'hold':1},"
                + "'segments':{'warm-up':{'update':{'started':2,'done':3,'longest_wait_ns':30,"
                + "'errors':{'x':1,'y':2},'max_ns':{'wait':3,'service':8}}},"
                + "'hold':{'find':{'started':1}}}}"));
    assertThat(sum.take())
        .isEqualTo(
            parse(
                "{'seq':1,'from_ns':0,'to_ns':2,'cpu_ns':6,'backlog':1,"
                    + "'due':{'warm-up':5,'hold':1},'segments':{'warm-up':{'update':{'started':5,"
                    + "'done':5,'longest_wait_ns':40,'errors':{'x':2,'y':2},"
                    + "'max_ns':{'wait':4,'service':8}}},'hold':{'find':{'started':1}}}}"));
    assertThat(sum.take()).isNull();
  }

  @Test
  void whatStopsOrBeginsIsNotLost() {
    sum.add(parse("{'from_ns':0,'due':{'hold':2},'segments':{'hold':{'find':{'done':1}}}}"));
    sum.add(parse("{'from_ns':1,'segments':{}}"));
    sum.add(parse("{'from_ns':2,'segments':{'cool':{'find':{'done':4}}}}"));
    assertThat(sum.take())
        .isEqualTo(
            parse(
                "{'from_ns':0,'due':{'hold':2},"
                    + "'segments':{'hold':{'find':{'done':1}},'cool':{'find':{'done':4}}}}"));
  }

  /** What was taken is a line of its own: the next one begins anew. */
  @Test
  void aLineThatIsAddedStaysAsItIs() {
    var line = parse("{'from_ns':0,'segments':{'hold':{'find':{'done':1}}}}");
    sum.add(line);
    sum.add(line);
    assertThat(line.toString())
        .isEqualTo("{\"from_ns\":0,\"segments\":{\"hold\":{\"find\":{\"done\":1}}}}");
  }
}
