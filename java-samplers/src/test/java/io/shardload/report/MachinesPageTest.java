package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens reports in a real headless Chromium and looks at what it drew of the machines. */
class MachinesPageTest {
  private static final Pattern LINE =
      Pattern.compile(
          "<path class=\"line (m\\d(?: dashed)?)\" d=\"([^\"]*)\" data-points=\"(\\d+)\"");

  @TempDir Path directory;

  private String open(Path run) throws IOException, InterruptedException {
    FinishVerb.finish(run);
    return Chromium.open(run.resolve("report.html"));
  }

  /** Without scripts and elements, and with ordinary spaces. */
  private static String text(String page) {
    return page.replaceAll("(?s)<script.*?</script>", "")
        .replace('\u202f', ' ')
        .replaceAll("<[^>]+>", "|");
  }

  private static String chart(String page, String title) {
    int from = page.indexOf("aria-label=\"" + title + " of the machines over time\"");
    assertThat(from).as(title).isPositive();
    return page.substring(from, page.indexOf("</svg>", from));
  }

  /** {@code m0 29} for a whole line, {@code m0 25 in 2} for one with a gap. */
  private static List<String> lines(String chart) {
    List<String> lines = new ArrayList<>();
    Matcher line = LINE.matcher(chart);
    while (line.find()) {
      int parts = line.group(2).split("M", -1).length - 1;
      lines.add(line.group(1) + " " + line.group(3) + (parts == 1 ? "" : " in " + parts));
    }
    return lines;
  }

  /** Four seconds of the coordinator are a gap, and the third worker has no disks. */
  @Test
  void drawsAClusterWithItsGaps() throws IOException, InterruptedException {
    String page = open(ExampleMachines.cluster(ExampleRuns.hosts(directory.resolve("run"))));
    assertThat(lines(chart(page, "Processors")))
        .containsExactly(
            "m0 25 in 2",
            "m0 dashed 29",
            "m1 29",
            "m1 dashed 29",
            "m2 29",
            "m2 dashed 29",
            "m3 29",
            "m3 dashed 29",
            "m4 29",
            "m4 dashed 29");
    assertThat(lines(chart(page, "Disk operations")))
        .containsExactly(
            "m0 29",
            "m0 dashed 25 in 2",
            "m1 29",
            "m1 dashed 29",
            "m2 29",
            "m2 dashed 29",
            "m4 29",
            "m4 dashed 29");
    assertThat(lines(chart(page, "Disk latency"))).contains("m1 25 in 4", "m1 dashed 29");
    assertThat(lines(chart(page, "Busiest disk"))).hasSize(4);
    assertThat(lines(chart(page, "Bytes read and written"))).hasSize(8);
    assertThat(lines(chart(page, "Network"))).hasSize(10);
    assertThat(chart(page, "Processors")).contains("class=\"band warm-up\"", ">100\u202f%<");
    assertThat(text(page))
        .contains("From the store http://127.0.0.1:8428, per second.")
        .contains("|coord (coordinator)|", "|db1 (worker)|", "|10.9.0.2:1099 (generator)|")
        .contains("|coord (coordinator): no samples from 12 to 16 s|")
        .contains("|machine figures are missing: db3 &lt;b&gt;: no disks|")
        .contains("|Not known for db3 (worker).|")
        .contains("|db1 (worker)|||16||80 %||2 %||10||640||200 µs||")
        .contains("|db3 (worker)|||16||60 %||2 %||–||–||–||–||–||–||–||1.2 MB/s||3.6 MB/s|")
        .contains("disk operations not known · read and written not known.")
        .doesNotContain("bottleneck", "the figures include its use");
  }

  /** Steps of 450/s; the seventh is the capacity, at 95.9 % of the machine that both share. */
  @Test
  void saysWhatBoundsTheCapacity() throws IOException, InterruptedException {
    String page = open(ExampleMachines.shared(ExampleRuns.capacity(directory.resolve("run"))));
    assertThat(lines(chart(page, "Processors"))).containsExactly("m0 95", "m0 dashed 95");
    String text = text(page);
    assertThat(text)
        .contains(
            "|bottleneck: the processors of db1 (primary) were 96 % in use in step-7, including the generator's own use|")
        .contains("Sampled by the generators on their own machines, per second.")
        .contains("A generator runs on a server machine: the figures include its use.")
        .contains("|Server CPU||IOPS||Why|", "A generator runs on such a machine")
        .contains("|Means in step-7|", "|db1 (primary)|||2||95.9 %||2 %||10||767.2||");
    // 0.137 of the processors and 0.137 * 800 + 10 operations more or less in each step.
    assertThat(text)
        .contains("|14 %||||119.6||||kept up", "|27 %||||229.2||||kept up", "|96 %||||777.2||");
    assertThat(page).contains("title=\"10 reads/s, 109.6 writes/s\"", "title=\"db1 (primary)\"");
  }

  /** An old bundle has no file; a store that is gone leaves a sentence. */
  @Test
  void hasNothingToDrawWhereNothingIsKnown() throws IOException, InterruptedException {
    String old = open(ExampleRuns.capacity(directory.resolve("old")));
    assertThat(text(old)).doesNotContain("|Machines|", "|Server CPU|", "IOPS");
    String gone = open(ExampleMachines.none(ExampleRuns.good(directory.resolve("gone"))));
    assertThat(text(gone))
        .contains("|Machines||There are no figures for the server machines.|")
        .contains("|the store http://127.0.0.1:8428 does not answer|")
        .contains("|machine figures are missing: the store http://127.0.0.1:8428 does not answer|");
    assertThat(gone).doesNotContain("aria-label=\"Processors of");
  }

  /** 9.9 ms are nothing to mark; 25 ms stand at their second on every chart over time. */
  @Test
  void marksLongHiccups() throws IOException, InterruptedException {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("hold", "hold", 6, 10);
    for (int second = 0; second < 6; second++) {
      bundle.generator(0).done(second, "hold", "update", 10);
      bundle.generator(0).latency(second, "hold", "update", "service", 1_000_000, 10);
    }
    bundle.generator(0).own(1, "hold", "hiccup", 9_900_000, 1);
    bundle.generator(0).own(3, "hold", "hiccup", 25_000_000, 1);
    Path run = bundle.write();
    String page = open(run);
    assertThat(page.split("<title>hiccup of ", -1)).hasSize(3);
    assertThat(page).contains("<title>hiccup of 25.0\u202fms at 3.5\u202fs</title>");
    assertThat(page).contains("a generator paused for over 10 ms");
    assertThat(open(ExampleMachines.cluster(run)).split("<title>hiccup of ", -1)).hasSize(9);
  }
}
