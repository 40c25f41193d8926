package io.shardload.compare;

import io.shardload.config.Durations;
import io.shardload.config.Units;
import io.shardload.results.Cost;
import io.shardload.results.RecordedRun;
import io.shardload.statistics.Interval;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The comparison on the console: plain text. */
final class Lines {
  private static final int WIDEST_VALUES = 5;

  private record Row(String figure, String title) {}

  private static final List<Row> ROWS =
      List.of(
          new Row(Metrics.ACHIEVED, "achieved"),
          new Row(Metrics.ERRORS, "errors"),
          new Row(Metrics.REFUSED, "refused"),
          new Row(Metrics.SERVICE_MEAN, "service mean"),
          new Row(Metrics.SERVICE_P50, "service p50"),
          new Row(Metrics.SERVICE_P99, "service p99"),
          new Row("response_ns.p50", "response p50"),
          new Row(Metrics.RESPONSE_P99, "response p99"),
          new Row("search_ns.mean", "search mean"),
          new Row("fetch_ns.mean", "fetch mean"),
          new Row("generator_cpu_percent", "generator CPU"),
          new Row("table_bytes", "table on disk"),
          new Row("index_bytes", "indexes on disk"),
          new Row("server_cpu_seconds_per_operation", "server CPU per operation"),
          new Row("server_io_per_operation", "server I/O operations per operation"),
          new Row("server_io_bytes_per_operation", "server I/O bytes per operation"),
          new Row("server_cpu_ratio", "CPU of the busiest server machine"),
          new Row("server_io_per_second", "server IOPS"),
          new Row(Metrics.COST, "cost"));

  /** Rates and times of calls: what the last sentence is about. */
  private static final List<Row> FIRST = ROWS.subList(0, 8);

  private static final Set<Effect.Verdict> SHOWN =
      Set.of(Effect.Verdict.HIGHER, Effect.Verdict.LOWER);

  private Lines() {}

  static List<String> of(
      Comparison comparison,
      List<Comparability> differences,
      List<String> notes,
      List<String> changes,
      Path page) {
    List<String> lines = new ArrayList<>();
    for (Sides.Side side : comparison.sides()) {
      int counted = side.counted().size();
      int all = side.entries().size();
      String runs = counted == all ? counted + " run" : counted + " of " + all + " run";
      lines.add(side.label() + "  " + side.name() + ", " + runs + (all == 1 ? "" : "s"));
    }
    differences.forEach(
        one -> lines.add((one.askedFor() ? "VARIED  " : "NOT COMPARABLE  ") + one.text()));
    notes.forEach(note -> lines.add("NOTE  " + note));
    for (Row row : ROWS) {
      boolean known =
          comparison.sides().stream()
              .map(side -> comparison.cell(RecordedRun.ALL, side, row.figure).value())
              .anyMatch(
                  value -> Metrics.isShare(row.figure) ? value.isPositive() : value.isKnown());
      if (known) {
        figure(lines, comparison, row);
      }
    }
    perTransaction(lines, comparison);
    lines.add("");
    reasons(comparison).forEach(reason -> lines.add("not judged: " + reason));
    List<Sides.Side> shown = comparison.shown();
    shown
        .subList(shown.size() > 1 ? 1 : 0, shown.size())
        .forEach(side -> lines.add(answer(comparison, side)));
    lines.addAll(changes);
    lines.add("page  " + page);
    return lines;
  }

  /** The answer: what is decided of a side, or the medians of a side alone. */
  private static String answer(Comparison comparison, Sides.Side side) {
    Sides.Side base = comparison.sides().get(0);
    boolean alone = side.equals(base);
    List<String> parts = new ArrayList<>();
    for (Row row : FIRST) {
      Measured median = comparison.cell(RecordedRun.ALL, side, row.figure).median();
      Effect effect = alone ? null : comparison.effect(RecordedRun.ALL, side, row.figure);
      if (alone && median.isPositive()) {
        parts.add(row.title + " " + show(row.figure, median));
      } else if (!alone && SHOWN.contains(effect.verdict())) {
        String more = verdict(effect.verdict(), row.figure);
        parts.add("%s %s, %s times".formatted(row.title, more, ratio(effect)));
      }
    }
    if (parts.isEmpty() && !alone) {
      Effect mean = comparison.effect(RecordedRun.ALL, side, Metrics.SERVICE_MEAN);
      parts.add("no figure decides; service mean " + words(mean, Metrics.SERVICE_MEAN, "A"));
    }
    String against = alone ? ": median " : " against A (" + base.name() + "): ";
    String promises = alone ? "" : Promises.clause(base, side);
    return side.label() + " (" + side.name() + ")" + against + String.join("; ", parts) + promises;
  }

  private static void figure(List<String> lines, Comparison comparison, Row row) {
    lines.add("");
    lines.add(row.title + covers(comparison, row.figure));
    for (Sides.Side side : comparison.shown()) {
      Comparison.Cell cell = comparison.cell(RecordedRun.ALL, side, row.figure);
      StringBuilder line = new StringBuilder();
      line.append(
          String.format(Locale.ROOT, "  %-3s %11s", side.label(), show(row.figure, cell.value())));
      if (cell.isRepeated()) {
        line.append("  median ").append(show(row.figure, cell.median()));
        double variation = cell.variationPercent();
        line.append(
            Double.isFinite(variation)
                ? String.format(Locale.ROOT, ", variation %.1f %%", variation)
                : "");
      }
      if (!side.equals(comparison.sides().get(0))) {
        Effect effect = comparison.effect(RecordedRun.ALL, side, row.figure);
        line.append("  ").append(words(effect, row.figure, comparison.sides().get(0).label()));
      }
      lines.add(line.toString());
    }
  }

  private static String covers(Comparison comparison, String figure) {
    if (figure.startsWith(Metrics.SERVERS)) {
      String shared =
          comparison.shown().stream()
              .filter(Machines::shared)
              .map(Sides.Side::label)
              .collect(Collectors.joining(", "));
      return shared.isEmpty() ? "" : ", including the use by generators (" + shared + ")";
    }
    if (figure.equals(Metrics.COST)) {
      Map<String, String> sides = new LinkedHashMap<>();
      comparison
          .shown()
          .forEach(s -> sides.merge(Comparison.terms(s), s.label(), (a, b) -> a + ", " + b));
      sides.remove("");
      return sides.entrySet().stream()
          .map(one -> ", %s (%s)".formatted(one.getKey(), one.getValue()))
          .collect(Collectors.joining());
    }
    boolean ofTransactions = !figure.endsWith("_bytes") && !figure.endsWith("_percent");
    return ofTransactions ? ", all transactions" : "";
  }

  /** A ratio with its interval and what follows from it. */
  private static String words(Effect effect, String figure, String base) {
    StringBuilder text = new StringBuilder();
    if (effect.ratio().isKnown()) {
      text.append(ratio(effect)).append(" of ").append(base);
    }
    Interval interval = effect.interval();
    if (interval != null) {
      text.append(
          String.format(
              Locale.ROOT, " [%.3f, %.3f] %s", interval.low(), interval.high(), effect.kind()));
    }
    text.append(text.isEmpty() ? "" : ": ").append(verdict(effect.verdict(), figure));
    if (Double.isFinite(effect.detectableRatio())) {
      text.append(
          String.format(
              Locale.ROOT,
              " (detectable: %.1f %%%s)",
              100 * (effect.detectableRatio() - 1),
              effect.isTooNoisy() ? "; " + roundsNeeded(effect) : ""));
    }
    return text.toString();
  }

  private static String roundsNeeded(Effect effect) {
    OptionalInt rounds = effect.roundsForFivePercent();
    return rounds.isEmpty()
        ? "5 % would take over 1000 rounds"
        : "5 % would take about " + rounds.getAsInt() + " rounds";
  }

  private static String ratio(Effect effect) {
    String sign =
        switch (effect.ratio().bound()) {
          case AT_LEAST -> ">= ";
          case AT_MOST -> "<= ";
          default -> "";
        };
    return sign + String.format(Locale.ROOT, "%.3f", effect.ratio().value());
  }

  /** Why figures over all transactions were not judged, each once. */
  private static Set<String> reasons(Comparison comparison) {
    Set<String> reasons = new TreeSet<>();
    for (Sides.Side side : comparison.sides().subList(1, comparison.sides().size())) {
      for (Row row : ROWS) {
        Effect effect = comparison.effect(RecordedRun.ALL, side, row.figure);
        if (effect.reason() != null && effect.ratio().isKnown()) {
          reasons.add(effect.reason());
        }
      }
    }
    return reasons;
  }

  private static void perTransaction(List<String> lines, Comparison comparison) {
    List<Sides.Side> sides = comparison.shown();
    if (sides.size() > WIDEST_VALUES) {
      return;
    }
    int width = comparison.transactions().stream().mapToInt(String::length).max().orElse(0);
    lines.add("");
    StringBuilder head = new StringBuilder(String.format("%-" + (width + 2) + "s", "service mean"));
    sides.forEach(side -> head.append(String.format("%11s", side.label())));
    for (Sides.Side side : sides.subList(1, sides.size())) {
      head.append("  ").append(String.format("%-26s", side.label() + "/" + sides.get(0).label()));
    }
    lines.add(head.toString().stripTrailing());
    for (String name : comparison.transactions()) {
      StringBuilder line = new StringBuilder(String.format("%-" + (width + 2) + "s", name));
      for (Sides.Side side : sides) {
        Measured value = comparison.cell(name, side, Metrics.SERVICE_MEAN).value();
        line.append(String.format("%11s", show(Metrics.SERVICE_MEAN, value)));
      }
      for (Sides.Side side : sides.subList(1, sides.size())) {
        Effect effect = comparison.effect(name, side, Metrics.SERVICE_MEAN);
        String text =
            effect.ratio().isKnown()
                ? ratio(effect) + " " + verdict(effect.verdict(), Metrics.SERVICE_MEAN)
                : "-";
        line.append("  ").append(String.format("%-26s", text));
      }
      lines.add(line.toString().stripTrailing());
    }
  }

  /** As {@link #show(String, double)}; a bound with its sign. */
  static String show(String figure, Measured value) {
    return (value.isKnown() && value.atLeast() ? ">= " : "") + show(figure, value.value());
  }

  /** Three significant digits in the unit that suits; a dash for unknown values. */
  static String show(String figure, double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    if (figure.equals(Metrics.COST)) {
      return Cost.show(value);
    }
    if (figure.endsWith("_bytes_per_second")) {
      return Units.showRate(value);
    }
    if (figure.endsWith("_per_second")) {
      return String.format(Locale.ROOT, "%.1f/s", value);
    }
    if (figure.endsWith("_percent") || figure.endsWith("_ratio")) {
      double percent = figure.endsWith("_ratio") ? 100 * value : value;
      return String.format(Locale.ROOT, "%.1f %%", percent);
    }
    if (figure.endsWith("_bytes") || figure.endsWith("_bytes_per_operation")) {
      return Units.show(value);
    }
    if (figure.endsWith("_io_per_operation")) {
      return threeDigits(value);
    }
    return Durations.show(figure.contains("_seconds") ? value * 1e9 : value);
  }

  /** Three significant digits, never in powers of ten. */
  private static String threeDigits(double value) {
    int before = value > 0 ? (int) Math.floor(Math.log10(value)) + 1 : 1;
    return String.format(Locale.ROOT, "%." + Math.max(0, Math.min(6, 3 - before)) + "f", value);
  }

  /** A longer time is slower; of everything else there is more or less. */
  static String verdict(Effect.Verdict verdict, String figure) {
    boolean time = Metrics.isLatency(figure) || figure.endsWith("_latency_seconds");
    return switch (verdict) {
      case HIGHER -> time ? "slower" : "more";
      case LOWER -> time ? "faster" : "less";
      default -> verdict.words;
    };
  }
}
