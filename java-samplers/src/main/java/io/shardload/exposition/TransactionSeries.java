package io.shardload.exposition;

import io.shardload.bundle.Counts;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.histogram.Buckets;
import io.shardload.bundle.histogram.SlotCounts;
import io.shardload.metrics.Series;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The series of one transaction: where on the page they are, and what their buckets hold. */
final class TransactionSeries {
  private static final String TRANSACTION = "transaction";
  private static final String PHASE = "phase";
  private static final String OUTCOME = "outcome";

  /** What is counted, as it is exposed: metric, help. */
  private static final Map<Field, String[]> COUNTERS = new EnumMap<>(Field.class);

  static {
    COUNTERS.put(
        Field.STARTED,
        new String[] {"shardload_arrivals_started_total", "Arrivals whose call was begun."});
    COUNTERS.put(
        Field.DROPPED,
        new String[] {"shardload_arrivals_dropped_total", "Arrivals that were never begun."});
    COUNTERS.put(
        Field.STALE_READS,
        new String[] {
          "shardload_stale_reads_total", "Reads that missed an acknowledged write of this run."
        });
    COUNTERS.put(
        Field.RETRIES, new String[] {"shardload_retries_total", "Attempts after the first one."});
    COUNTERS.put(
        Field.ROWS, new String[] {"shardload_rows_total", "Rows that were read or written."});
  }

  private static final List<Field> OUTCOMES =
      List.of(Field.DONE, Field.MISSING, Field.REFUSED, Field.FAILED, Field.UNKNOWN);

  private final String name;
  private final Buckets buckets;
  private final Map<Field, Integer> counters = new EnumMap<>(Field.class);
  private final Map<String, Integer> summaries = new HashMap<>();
  private final Map<String, Histogram> histograms = new HashMap<>();
  private final Map<String, Integer> errors = new HashMap<>();
  private int due;

  /** Where it begins, and how many durations each bucket holds. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Histogram(int place, long[] counts) {}

  private TransactionSeries(String name, Buckets buckets) {
    this.name = name;
    this.buckets = buckets;
  }

  /** Adds the families of all transactions to a page. */
  static List<TransactionSeries> layOut(SeriesPage page, BucketLayout layout, List<String> names) {
    Buckets buckets = new Buckets(layout.boundariesNanos());
    List<TransactionSeries> all = new ArrayList<>();
    names.forEach(name -> all.add(new TransactionSeries(name, buckets)));
    SeriesPage.Family due =
        page.family(
            "shardload_arrivals_due_total",
            "counter",
            "Arrivals that became due: the requested load; in the closed model, begun arrivals.");
    all.forEach(one -> one.due = due.series(TRANSACTION, one.name));
    COUNTERS.forEach(
        (field, words) -> {
          SeriesPage.Family family = page.family(words[0], "counter", words[1]);
          all.forEach(one -> one.counters.put(field, family.series(TRANSACTION, one.name)));
        });
    SeriesPage.Family outcomes =
        page.family("shardload_transactions_total", "counter", "Calls that ended, by outcome.");
    all.forEach(one -> OUTCOMES.forEach(field -> one.addOutcome(outcomes, field)));
    layOutDurations(page, layout, all);
    return all;
  }

  private static void layOutDurations(
      SeriesPage page, BucketLayout layout, List<TransactionSeries> all) {
    SeriesPage.Family durations =
        page.family(
            "shardload_duration_seconds",
            "histogram",
            "Answered calls: response time counts from the due time, service time from the start of"
                + " the call. "
                + layout.description());
    List<String> boundaries = layout.labels();
    all.forEach(
        one -> {
          one.addHistogram(durations, boundaries, Series.RESPONSE);
          one.addHistogram(durations, boundaries, Series.SERVICE);
        });
    SeriesPage.Family phases =
        page.family(
            "shardload_phase_seconds",
            "summary",
            "Phases of calls: connect, search and fetch of answered calls, service of failed and"
                + " unknown calls, wait before calls began or were dropped. Longer durations count"
                + " as 60 s.");
    all.forEach(
        one -> {
          one.addSummary(phases, Series.CONNECT, "connect", "answered");
          one.addSummary(phases, Series.SEARCH, "search", "answered");
          one.addSummary(phases, Series.FETCH, "fetch", "answered");
          one.addSummary(phases, Series.WAIT, "wait", "begun");
          one.addSummary(phases, Series.FAILED, "service", "error");
          one.addSummary(phases, Series.DROPPED, "wait", "dropped");
        });
  }

  private void addOutcome(SeriesPage.Family family, Field field) {
    counters.put(field, family.series(TRANSACTION, name, OUTCOME, field.key()));
  }

  private void addHistogram(SeriesPage.Family family, List<String> boundaries, Series series) {
    int place =
        family.histogram(boundaries, TRANSACTION, name, PHASE, series.label(), OUTCOME, "answered");
    histograms.put(series.label(), new Histogram(place, new long[boundaries.size()]));
  }

  private void addSummary(SeriesPage.Family family, Series series, String phase, String outcome) {
    int place = family.summary(TRANSACTION, name, PHASE, phase, OUTCOME, outcome);
    summaries.put(series.label(), place);
  }

  String name() {
    return name;
  }

  /** The places of errors by kind. */
  Map<String, Integer> errors() {
    return errors;
  }

  /** Adds durations to the values; those of refused calls are in the bundle alone. */
  void add(String series, SlotCounts counts, double[] values) {
    Histogram histogram = histograms.get(series);
    int place;
    if (series.equals(Series.REFUSED.label())) {
      return;
    }
    if (histogram == null) {
      place = summaries.get(series);
    } else {
      buckets.add(counts, histogram.counts);
      long sum = 0;
      for (int i = 0; i < histogram.counts.length; i++) {
        sum += histogram.counts[i];
        values[histogram.place + i] = sum;
      }
      place = histogram.place + histogram.counts.length;
    }
    values[place] += counts.total();
    values[place + 1] += counts.sumNanos() / 1e9;
  }

  /** Adds counters to the values. */
  void add(Counts counts, double[] values) {
    counters.forEach((field, place) -> values[place] += counts.get(field));
  }

  /**
   * Sets what became due.
   *
   * @param number -1 for what was begun or dropped
   */
  void setDue(long number, double[] values) {
    double accounted = values[counters.get(Field.STARTED)] + values[counters.get(Field.DROPPED)];
    // A stop may lie a moment before what was counted already: a counter never decreases.
    values[due] = Math.max(values[due], number < 0 ? accounted : number);
  }
}
