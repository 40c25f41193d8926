package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.bundle.Counts.Field;
import io.shardload.generator.schedule.DueCounter;
import java.util.List;

/**
 * The fields of a ledger line for unfinished arrivals. With them a reader needs no model of the
 * schedule and sees a stall:
 *
 * <ul>
 *   <li>{@code due}: arrivals that became due in the interval, by segment (open model);
 *   <li>{@code backlog}: arrivals that are due and neither begun nor dropped (open model);
 *   <li>{@code oldest_unfinished_ns}: how long ago the oldest unfinished arrival was due, in the
 *       closed model how long the oldest call has been running; absent if nothing is unfinished.
 * </ul>
 *
 * <p>Used by the thread that writes the ledger lines.
 */
final class Backlog {
  private final LoadRun<?> run;
  private final long[] reported;

  Backlog(LoadRun<?> run) {
    this.run = run;
    this.reported = new long[run.plan.schedule().segments().size()];
  }

  void describe(JsonObject line, long nowNanos, List<? extends Worker<?>> workers) {
    if (run.load.open()) {
      // Begun arrivals are read first: a later reading would include arrivals that became due
      // since.
      long begun = run.recording.sum(Field.STARTED) + run.recording.sum(Field.DROPPED);
      line.add("due", due(nowNanos));
      line.addProperty("backlog", Math.max(0, total() - begun));
    }
    long oldest = workers.stream().mapToLong(Worker::unfinishedSinceNanos).min().orElse(nowNanos);
    if (oldest < nowNanos) {
      line.addProperty("oldest_unfinished_ns", nowNanos - oldest);
    }
  }

  private JsonObject due(long nowNanos) {
    DueCounter counter = run.countDue(nowNanos);
    JsonObject due = new JsonObject();
    for (int s = 0; s < reported.length; s++) {
      long sum = counter.ofSegment(s);
      if (sum > reported[s]) {
        due.addProperty(run.plan.schedule().segments().get(s).name(), sum - reported[s]);
        reported[s] = sum;
      }
    }
    return due;
  }

  private long total() {
    long sum = 0;
    for (long n : reported) {
      sum += n;
    }
    return sum;
  }
}
