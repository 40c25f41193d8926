package io.shardload.results;

import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.results.measured.Segment;
import io.shardload.results.measured.Segments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Findings on load beyond what the target or the workers carry, each with its cure. */
final class Overload {
  /** Above this share of their time in calls, workers leave no arrival without a wait. */
  private static final double ALL_BUSY_PERCENT = 95;

  private Overload() {}

  static List<String> findings(Evaluation run) {
    List<String> findings = new ArrayList<>();
    backlog(run).ifPresent(findings::add);
    warmUpErrors(run).ifPresent(findings::add);
    workers(run).ifPresent(findings::add);
    return findings;
  }

  /** What was still waiting when the results began. */
  private static Optional<String> backlog(Evaluation run) {
    List<Segment> leading = run.segments().leading();
    Counts counts = run.ledgers().ofSegments(Segments.names(leading));
    long dropped = counts.get(Field.DROPPED);
    if (dropped == 0) {
      return Optional.empty();
    }
    String names = leading.stream().map(Segment::name).collect(Collectors.joining(" and "));
    String first = run.segments().results().get(0).name();
    boolean beyond = dropped * 100 > counts.offered() * (100 - Step.REACHED_PERCENT);
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%s: %d of %d arrivals of %s were still waiting when %s began, and were dropped%s",
            beyond
                ? "already beyond the target before " + first
                : "a stall at the start of " + first,
            dropped,
            counts.offered(),
            names,
            first,
            beyond ? "; lower --rate or lengthen the warm-up" : ""));
  }

  /** No result counts them, and neither the ledger nor a criterion shows them. */
  private static Optional<String> warmUpErrors(Evaluation run) {
    Counts counts = run.warmUp();
    if (counts.errorCount() == 0) {
      return Optional.empty();
    }
    List<Map.Entry<String, Long>> kinds =
        counts.errors().entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
            .toList();
    String listed =
        Findings.listed(kinds.stream().map(kind -> kind.getValue() + " " + kind.getKey()).toList());
    String sample =
        kinds.isEmpty() ? "" : run.bundle().errorSamples().getOrDefault(kinds.get(0).getKey(), "");
    return Optional.of(
        String.format(
            Locale.ROOT,
            "errors in the warm-up, which no result counts: %s in %d calls%s; docs/troubleshooting.md,"
                + " \"Errors of calls\", has the cure for each kind",
            listed,
            counts.get(Field.STARTED),
            sample.isEmpty() ? "" : ", first: " + sample));
  }

  /** Too few workers look like a slow target. */
  private static Optional<String> workers(Evaluation run) {
    Set<String> results = Segments.names(run.segments().results());
    List<Step> full =
        run.steps().stream()
            .filter(step -> step.open() && results.contains(step.segment().name()))
            .filter(step -> step.workers().busyPercent() > ALL_BUSY_PERCENT)
            .toList();
    double least =
        full.stream().mapToDouble(step -> step.workers().busyPercent()).min().orElse(Double.NaN);
    return full.stream()
        .findFirst()
        .map(
            first ->
                String.format(
                    Locale.ROOT,
                    "all %d workers were busy for %s%.0f %% of %s: more workers (--concurrency) might"
                        + " carry more",
                    first.workers().number(),
                    full.size() == 1 ? "" : "at least ",
                    Math.floor(least),
                    Findings.listed(full.stream().map(step -> step.segment().name()).toList())));
  }
}
