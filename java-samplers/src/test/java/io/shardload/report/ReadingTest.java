package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader does with a report, and how much of it fits a window and a sheet of paper. */
class ReadingTest {
  @TempDir Path directory;

  private Path page(Path run) throws IOException {
    FinishVerb.finish(run);
    return run.resolve("report.html");
  }

  /** Steps of one machine, with what the server reports. */
  private Path steps() throws IOException {
    Path run = ExampleMachines.shared(ExampleRuns.capacity(directory.resolve("run")));
    return page(StaticPageTest.withEvidence(run));
  }

  private static List<String> texts(JsonObject found, String key) {
    return BundleFixture.texts(found, key);
  }

  private static final String FOLD =
      """
      const bottom = (one) => Math.round(document.querySelector(one).getBoundingClientRect().bottom);
      return {answer: bottom('.answer'), tiles: document.querySelectorAll('.tile').length, chart: bottom('.charts figure'),
        heading: document.querySelector('section h2').textContent, wide: document.documentElement.scrollWidth,
        why: Math.max(0, ...[...document.querySelectorAll('.why span')].map((one) => Math.round(one.getBoundingClientRect().right)))};
      """;

  /** Turned red by the findings above the figures. */
  @Test
  void theFirstScreenHasAnswerFiguresAndChart() throws IOException, InterruptedException {
    JsonObject stepped = Chromium.read(steps(), 1440, 900, FOLD);
    assertThat(stepped.get("chart").getAsInt()).isBetween(400, 900);
    assertThat(stepped.get("tiles").getAsInt()).isEqualTo(3);
    assertThat(Json.text(stepped, "heading", "")).isEqualTo("Steps and capacity");
    JsonObject narrow = Chromium.read(directory.resolve("run/report.html"), 400, 900, FOLD);
    assertThat(narrow.get("why").getAsInt()).isBetween(300, 400);
    Path held = page(ExampleRuns.overloaded(directory.resolve("held")));
    JsonObject hold = Chromium.read(held, 1440, 900, FOLD);
    assertThat(hold.get("chart").getAsInt()).isBetween(400, 900);
    assertThat(Json.text(hold, "heading", "")).isEqualTo("Load and latency");
    assertThat(Chromium.read(held, 400, 900, FOLD).get("wide").getAsInt()).isEqualTo(400);
  }

  /**
   * Plans, settings and keys stay closed. Turned red by opening them, and by one chart in a row.
   */
  @Test
  void aPrintedReportLosesNothing() throws IOException, InterruptedException {
    Path page = steps();
    String pdf = new String(Chromium.print(page), StandardCharsets.ISO_8859_1);
    assertThat(Pattern.compile("/Type\\s*/Page\\b(?!s)").matcher(pdf).results().count())
        .isBetween(2L, 6L);
    JsonObject cut =
        Chromium.read(
            page,
            710,
            1000,
            """
            // The rules of print, at the width of its page.
            const sheet = document.styleSheets[0];
            [...sheet.cssRules].filter((rule) => rule.conditionText === 'print').forEach((rule) =>
              [...rule.cssRules].filter((one) => one.selectorText).forEach((one) => sheet.insertRule(one.cssText, sheet.cssRules.length)));
            const right = document.querySelector('main').getBoundingClientRect().right + 1;
            return {cut: [...document.querySelectorAll('td, th, p, li')].filter((one) => one.getBoundingClientRect().right > right)
              .map((one) => one.textContent)};
            """);
    assertThat(texts(cut, "cut")).isEmpty();
  }

  /** The events of a pointer over the first chart over time, and of keys. */
  private static final String CHARTS =
      """
      const charts = [...document.querySelectorAll('figure.chart')];
      const svg = () => document.querySelector('[aria-label="Latency over time"]');
      const canvas = svg().parentElement;
      const point = (type, share) => {
        const box = svg().getBoundingClientRect();
        svg().dispatchEvent(new PointerEvent(type, {bubbles: true, pointerType: 'mouse', clientX: box.left + share * box.width, clientY: box.top + 50}));
      };
      const hairs = () => [...document.querySelectorAll('.hair')].filter((one) => one.getAttribute('d')).map((one) => one.closest('svg').getAttribute('aria-label'));
      const tip = () => document.querySelector('.tip:not([hidden])')?.textContent ?? 'none';
      const ticks = () => [...svg().querySelectorAll('.tick[text-anchor=middle]')].map((one) => one.textContent);
      const key = (name) => canvas.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
      point('pointermove', 0.5);
      const found = {hairs: hairs(), tip: tip(), whole: ticks()};
      document.body.dispatchEvent(new PointerEvent('pointermove', {bubbles: true}));
      found.left = tip();
      point('pointerdown', 0.4); point('pointermove', 0.6); point('pointerup', 0.6);
      found.zoomed = ticks();
      found.others = document.querySelectorAll('.whole').length;
      document.querySelector('.whole').click();
      found.again = ticks();
      key('Home'); found.first = tip();
      key('ArrowRight'); found.second = tip();
      key('End'); key('ArrowRight'); found.last = tip();
      key('Escape'); found.escaped = tip();
      return found;
      """;

  /** Turned red by a crosshair in one chart, by a range that no chart shares, and by no keys. */
  @Test
  void allChartsOverTimeShareCrosshairAndZoom() throws IOException, InterruptedException {
    Path run = ExampleMachines.shared(ExampleRuns.capacity(directory.resolve("run")));
    JsonObject found = Chromium.read(page(run), 1440, 900, CHARTS);
    assertThat(texts(found, "hairs"))
        .contains(
            "Operations per second over time", "Latency over time", "Workers in calls over time")
        .contains("Processors of the machines over time")
        .doesNotContain("Latency by percentile", "p99 over the achieved rate");
    assertThat(Json.text(found, "tip", "")).startsWith("at42.5\u202fssamples");
    assertThat(Json.text(found, "left", "")).isEqualTo("none");
    assertThat(texts(found, "zoomed"))
        .isNotEqualTo(texts(found, "whole"))
        .doesNotContain("0\u202fs");
    assertThat(found.get("others").getAsInt()).isEqualTo(texts(found, "hairs").size());
    assertThat(texts(found, "again")).isEqualTo(texts(found, "whole"));
    assertThat(Json.text(found, "first", "")).startsWith("at0.5\u202fs");
    assertThat(Json.text(found, "second", "")).startsWith("at1.5\u202fs");
    assertThat(Json.text(found, "last", "")).startsWith("at94.5\u202fs");
    assertThat(Json.text(found, "escaped", "")).isEqualTo("none");
  }

  private static final String DRAWN =
      """
      const svg = () => document.querySelector('[aria-label="p99 over the achieved rate"]');
      const limit = () => Math.round(svg().querySelector('.line.limit').getBBox().width);
      const key = (name) => svg().parentElement.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
      const found = {whole: limit()};
      key('Home'); key('+');
      found.zoomed = limit();
      data.timeline.under_way.fill(data.config.load.workers + 1);
      const [, calls] = queues();
      document.body.append(calls);
      found.above = calls.querySelector('.line.offered').getBBox().y - calls.querySelector('.line.achieved').getBBox().y;
      const narrow = chart({label: 'narrow', series: [], x: {kind: 'log', low: 1, high: 1e6, ticks: [2, 10, 100, 1e3, 1e4, 1e5, 1e6],
        format: percentileName}, y: {kind: 'linear', format: rate}});
      document.body.append(narrow);
      narrow.view.draw();
      const labels = [...narrow.querySelectorAll('.tick[text-anchor=middle]')].map((one) => one.getBoundingClientRect());
      found.labels = labels.length;
      found.clashes = labels.filter((one, i) => i && labels[i - 1].right > one.left || one.right > innerWidth).length;
      return found;
      """;

  /**
   * A zoomed line runs on to both ends, no more calls than workers are drawn, and labels of an axis
   * have room. Turned red by the points of the range alone, the counters as read, and all labels.
   */
  @Test
  void chartsDrawWhatIsThere() throws IOException, InterruptedException {
    JsonObject found = Chromium.read(steps(), 400, 900, DRAWN);
    assertThat(found.get("zoomed").getAsInt()).isEqualTo(found.get("whole").getAsInt());
    assertThat(found.get("above").getAsDouble()).isZero();
    assertThat(found.get("labels").getAsInt()).isBetween(3, 6);
    assertThat(found.get("clashes").getAsInt()).isZero();
  }

  private static final String TABLES =
      """
      const table = [...document.querySelectorAll('section')].find((one) => one.id === '%s').querySelector('table');
      const column = (i) => [...table.tBodies[0].rows].filter((row) => !row.matches('.why')).map((row) => row.cells[i].textContent);
      const head = [...table.tHead.rows[0].cells].find((one) => one.textContent === '%s');
      const before = column(0);
      head.querySelector('button').click();
      const found = {before, down: column(head.cellIndex), order: head.getAttribute('aria-sort'), names: column(0)};
      head.querySelector('button').click();
      found.up = column(head.cellIndex);
      found.reversed = head.getAttribute('aria-sort');
      found.below = [...table.querySelectorAll('.why')].every((row) => row.previousElementSibling.querySelector('.bad, .cut'));
      document.addEventListener('copy', (event) => { found.copied = event.clipboardData.getData('text/plain').split('\\n'); });
      table.parentElement.nextElementSibling.click();
      return found;
      """;

  /**
   * Values of several units, and "too few", which is last in both directions. Turned red by sorting
   * texts, by moving the total, and by copying what is shown.
   */
  @Test
  void tablesSortAndCopy() throws IOException, InterruptedException {
    Path page = steps();
    JsonObject found =
        Chromium.read(page, 1440, 900, TABLES.formatted("transactions", "Response p99"));
    assertThat(texts(found, "names")).hasSize(10).isNotEqualTo(texts(found, "before"));
    assertThat(Json.text(found, "order", "")).isEqualTo("descending");
    assertThat(Json.text(found, "reversed", "")).isEqualTo("ascending");
    List<String> up = texts(found, "up");
    assertThat(up)
        .containsExactlyInAnyOrderElementsOf(texts(found, "down"))
        .isNotEqualTo(texts(found, "down"));
    List<String> copied = texts(found, "copied");
    assertThat(copied).hasSize(12).allMatch(line -> line.split("\t", -1).length == 15);
    assertThat(copied.get(0)).startsWith("Transaction\tOffered\tAchieved\tCalls /s\tTime\t");
    assertThat(copied.get(11)).startsWith("all\t100 %\t100 %\t");
    JsonObject steps =
        Chromium.read(page, 1440, 900, TABLES.formatted("steps-and-capacity", "p99"));
    assertThat(texts(steps, "down").get(0)).endsWith("\u202fs");
    assertThat(texts(steps, "up").get(0)).endsWith("\u202fms");
    assertThat(steps.get("below").getAsBoolean()).isTrue();
    assertThat(String.join("", texts(steps, "copied")))
        .doesNotContain("\u202f")
        .contains("\t3150\t");
  }

  /** Turned red by a table without a name, and by the names of sections alone. */
  @Test
  void theHeadingBeforeATableNamesIt() throws IOException, InterruptedException {
    JsonObject found =
        Chromium.read(
            steps(),
            1440,
            900,
            """
            const name = (table) => document.getElementById(table.getAttribute('aria-labelledby'))?.textContent ?? 'none';
            return {names: [...document.querySelectorAll('table')].map(name)};
            """);
    assertThat(texts(found, "names"))
        .contains("Transactions", "Storage", "Shards", "Environment", "Target, workload and load")
        .doesNotContain("none");
  }
}
