package io.shardload.exposition;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.metrics.ProcessUse;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The series of a generator made from what it recorded: the same series that it served during the
 * run, except the cost of serving, which is not recorded. The CPU time before the first interval's
 * end is not known as part of the run, so it counts from there. Used by one thread.
 */
public final class RecordedGenerator implements SecondListener {
  /**
   * A metric and its series.
   *
   * @param type as in the text format: counter, gauge, histogram or summary
   */
  public record Family(String name, String type, String help, List<Series> series) {
    /**
     * A series.
     *
     * @param name that of the metric with {@code _bucket}, {@code _count} or {@code _sum} where it
     *     has one of these
     * @param labels sorted by their names
     * @param place of its value among those of the page
     */
    public record Series(String name, Map<String, String> labels, int place) {
      public Series {
        labels = new TreeMap<>(labels);
      }
    }

    public Family {
      series = List.copyOf(series);
    }
  }

  private final GeneratorMetrics metrics;
  private final List<String> transactions;
  private final Map<String, Map<String, Long>> scheduled;
  private final Map<String, Long> dueOfSegment = new HashMap<>();
  private long cpuBefore = -1;
  private long collectingBefore;

  /**
   * Lays out the series, all of them 0.
   *
   * @param labels of all series
   * @param transactions names of the mix, in its order
   * @param shared whether its clock was compared with that of others
   * @param processors of its machine
   * @param scheduled how many arrivals became due in the whole run, by segment and transaction;
   *     empty where that is not known and in the closed model: then those that were begun or
   *     dropped
   */
  public RecordedGenerator(
      Map<String, String> labels,
      List<String> transactions,
      boolean shared,
      int processors,
      Map<String, Map<String, Long>> scheduled) {
    this.transactions = List.copyOf(transactions);
    this.scheduled = scheduled;
    this.metrics =
        new GeneratorMetrics(
            labels,
            transactions,
            shared,
            scheduled.isEmpty() ? null : this::due,
            processors,
            new ProcessUse(0, 0, 0),
            null);
  }

  /**
   * Whether a metric is made from histograms, at least in part, and not from ledger lines alone.
   */
  public static boolean isFromHistograms(Family family) {
    return List.of("histogram", "summary").contains(family.type())
        || family.name().endsWith("_max_seconds")
        || family.name().equals("shardload_bucket_error_ratio");
  }

  /** All series; more of them after a second with errors of a new kind. */
  public List<Family> families() {
    return metrics.page().describe();
  }

  /** The values now, by place. */
  public double[] values() {
    return metrics.values();
  }

  @Override
  public void second(JsonObject line, List<Recording.Interval> histograms) {
    long cpu = Json.integer(line, "cpu_ns", 0);
    long collecting = Json.integer(line, "gc_ns", 0);
    if (cpuBefore < 0) {
      cpuBefore = cpu;
      collectingBefore = collecting;
    }
    JsonObject since = line.deepCopy();
    since.addProperty("cpu_ns", cpu - cpuBefore);
    since.addProperty("gc_ns", collecting - collectingBefore);
    JsonObject due = Json.object(line, "due");
    due.keySet().forEach(s -> dueOfSegment.merge(s, Json.integer(due, s, 0), Long::sum));
    metrics.add(since, histograms);
  }

  /** Counts errors of a kind that the last second was the first to have. */
  public void finish() {
    metrics.finish();
  }

  /**
   * By transaction. A line says by segment how much became due; of each transaction the same share
   * as of the whole segment, so that the sum of a finished segment is exact.
   */
  private long[] due() {
    long[] byTransaction = new long[transactions.size()];
    dueOfSegment.forEach(
        (segment, due) -> {
          Map<String, Long> ofSegment = scheduled.getOrDefault(segment, Map.of());
          long all = ofSegment.values().stream().mapToLong(each -> each).sum();
          for (int t = 0; t < byTransaction.length && all > 0; t++) {
            long own = ofSegment.getOrDefault(transactions.get(t), 0L);
            byTransaction[t] += (long) ((double) own / all * Math.min(due, all) + 1e-6);
          }
        });
    return byTransaction;
  }
}
