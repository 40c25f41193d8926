package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.Counts.Field;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.Issued;
import io.shardload.exposition.GeneratorEndpoint;
import io.shardload.generator.schedule.DueCounter;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Segment;
import io.shardload.hosts.MachineSampler;
import io.shardload.metrics.IntervalWriter;
import io.shardload.metrics.JitTime;
import io.shardload.metrics.ProcessUse;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One generator's load run with its ledger: hands out workers, takes histograms and a ledger line
 * once a second, closes the ledger at the end.
 *
 * <p>It does not know file locations, JMeter or connections; {@link GeneratorProcess} provides
 * these.
 *
 * @param <P> the workload's port
 */
final class Generator<P> {
  private final LoadRun<P> run;
  private final IntervalWriter records;
  private final Backlog backlog;
  private final MeetingPoint meeting;
  private final List<Worker<P>> workers = new ArrayList<>();
  private final WarmUp warmUp;
  private final Silences silences = new Silences();
  private MachineSampler machine = MachineSampler.off();
  private Supplier<ProcessUse> use = ProcessUse::now;
  private long sequence;
  private long takenNanos;

  Generator(LoadRun<P> run, IntervalWriter records, MeetingPoint meeting) {
    this.run = run;
    this.records = records;
    this.meeting = meeting;
    run.permittedBy(meeting.lease());
    if (meeting.isShared()) {
      records.listen(meeting);
    }
    this.backlog = new Backlog(run);
    this.warmUp = new WarmUp(run, !meeting.isShared());
  }

  LoadRun<P> run() {
    return run;
  }

  /** Adds a listener for each second; before the run begins. */
  void listen(SecondListener listener) {
    records.listen(listener);
  }

  /** Sets what samples the machine; before the run begins. */
  void sample(MachineSampler sampler) {
    machine = sampler;
  }

  /** Sets what says how much this process has used; before the run begins. */
  void use(Supplier<ProcessUse> newUse) {
    use = newUse;
  }

  /** The run has begun; called once by the thread that calls {@link #tick}, before it does. */
  synchronized void begin() {
    warmUp.look(run.elapsed(), use.get());
    machine.begin(run::now);
  }

  /** Looks whether calls are answered; called every 10 ms in a run with faults, by one thread. */
  void look() {
    silences.look(run);
  }

  /** A further worker; as many as the load configuration names must come. */
  synchronized Worker<P> newWorker() {
    Worker<P> worker = new Worker<>(run, workers.size());
    workers.add(worker);
    return worker;
  }

  /** Takes what happened since the last call; called once a second by one thread at a time. */
  synchronized void tick() {
    JsonObject sample = sample();
    long now = Math.max(takenNanos, run.elapsed());
    warmUp.look(now, use.get());
    JsonObject line = line(now);
    sample.asMap().forEach(line::add);
    records.take(run.recording, now, line);
    takenNanos = now;
    releaseClosedSegments(now);
  }

  /** Writes a part of what was taken last; called several times between ticks. */
  synchronized void writePart() {
    records.writePart();
  }

  /** Writes the rest and the final line, and returns it; called once, after the last worker. */
  synchronized JsonObject finish(End end) {
    // Threads that JMeter ended between two slices still hold the arrival that they waited for.
    workers.forEach(Worker::giveBack);
    workers.forEach(Worker::handOverBusy);
    long actualEnd = run.close();
    JsonObject sample = sample();
    long now = Math.max(takenNanos, run.elapsed());
    // First, for the last interval reports what became due until the end.
    JsonObject scheduled = scheduled(actualEnd);
    silences.end();
    JsonObject line = line(now);
    sample.asMap().forEach(line::add);
    takenNanos = now;
    JsonObject last = line(now);
    last.addProperty("format", GeneratorLog.FORMAT);
    end.addTo(last);
    last.addProperty("actual_end_ns", actualEnd);
    last.add("segments_ns", segmentTimes(actualEnd));
    last.add("busy_ns", busy());
    last.add("scheduled", scheduled);
    last.add("issued", issued().toJson());
    last.addProperty("retired", run.keys.retired());
    last.add("error_samples", run.errorSamples.toJson());
    meeting.describeEnd(last);
    records.finish(run.recording, now, line, last);
    return last;
  }

  /** Taken before the interval ends: reading the machine takes milliseconds. */
  private JsonObject sample() {
    JsonObject sample = new JsonObject();
    machine.addTo(sample, run::now);
    return sample;
  }

  private JsonObject line(long now) {
    JsonObject line = new JsonObject();
    line.addProperty("generator", run.load.generator());
    line.addProperty("seq", sequence++);
    line.addProperty("from_ns", takenNanos);
    line.addProperty("to_ns", now);
    meeting.describe(line);
    ProcessUse used = use.get();
    line.addProperty("cpu_ns", used.cpuNanos());
    line.addProperty("gc_ns", used.collectingNanos());
    if (used.jitNanos() != JitTime.UNKNOWN) {
      line.addProperty("jit_ns", used.jitNanos());
    }
    warmUp.describe(line);
    silences.describe(line);
    line.addProperty("workers", workers.size());
    backlog.describe(line, now, workers);
    return line;
  }

  private void releaseClosedSegments(long now) {
    List<Segment> segments = run.plan.schedule().segments();
    for (int s = 0; s < segments.size() && segments.get(s).endNanos() < now; s++) {
      run.recording.releaseIfClosed(s);
    }
  }

  private JsonObject segmentTimes(long actualEnd) {
    JsonObject times = new JsonObject();
    for (Segment s : run.plan.schedule().segments()) {
      if (s.startNanos() < actualEnd) {
        com.google.gson.JsonArray range = new com.google.gson.JsonArray();
        range.add(s.startNanos());
        range.add(Math.min(s.endNanos(), actualEnd));
        times.add(s.name(), range);
      }
    }
    return times;
  }

  private JsonObject busy() {
    JsonObject bySegment = new JsonObject();
    List<Segment> segments = run.plan.schedule().segments();
    for (int s = 0; s < segments.size(); s++) {
      if (run.busyNanos.get(s) > 0) {
        bySegment.addProperty(segments.get(s).name(), run.busyNanos.get(s));
      }
    }
    return bySegment;
  }

  private JsonObject scheduled(long actualEnd) {
    JsonObject bySegment = new JsonObject();
    long[][] counts = run.scheduled(actualEnd);
    List<String> names = run.plan.mix().names();
    for (int s = 0; s < counts.length; s++) {
      JsonObject byTransaction = new JsonObject();
      for (int t = 0; t < names.size(); t++) {
        if (counts[s][t] > 0) {
          byTransaction.addProperty(names.get(t), counts[s][t]);
        }
      }
      if (byTransaction.size() > 0) {
        bySegment.add(run.plan.schedule().segments().get(s).name(), byTransaction);
      }
    }
    return bySegment;
  }

  private Issued issued() {
    ArrivalSum begun = new ArrivalSum();
    ArrivalSum dropped = new ArrivalSum().add(run.dropped());
    for (Worker<P> worker : workers) {
      begun.add(worker.begun());
      dropped.add(worker.dropped());
    }
    int shift = run.plan.hashedShift();
    return new Issued(run.load.generator(), run.load.generators(), shift, begun, dropped);
  }

  void close() {
    try {
      records.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The tallies of a run, named by segments and transactions. */
  static Recording recording(Plan plan) {
    return new Recording(
        plan.schedule().segments().stream().map(Segment::name).toList(), plan.mix().names());
  }

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
  private static final class Backlog {
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

  /**
   * How a generator ended, for its final ledger line.
   *
   * @param stopReason {@code schedule} if the schedule was over; {@code stop} if the controller
   *     stopped it; {@code stdin-closed} if its controller is gone; {@code signal} if a signal
   *     ended the JVM; {@code threads-ended} if JMeter ended its threads; {@code ordinals-lost} if
   *     an ordinal might have been used twice; {@code lease-lost} if it no longer reached the
   *     meeting point, or the controller had abandoned it; {@code controller-lost} if its
   *     controller no longer lived; {@code generator-lost} if it was stopped because another
   *     generator was lost; {@code disk-full} if the disk was full; {@code clock-set} if the start
   *     was not the same moment for all generators, or had passed; {@code prolonged-too-late} if
   *     the warm-up of the others went on after its own
   * @param startEpochMillis when the run's clock started
   * @param connectionsByHost connections for transactions that were opened
   * @param workersEndedEarly workers that ended before the run
   * @param workerError the error that ended the first worker, or empty
   * @param metricsError why its metrics were not served, or only partly; or empty
   */
  record End(
      String stopReason,
      long startEpochMillis,
      Map<String, Long> connectionsByHost,
      int workersEndedEarly,
      String workerError,
      String metricsError) {
    static final String BY_SCHEDULE = "schedule";
    static final String STOP = "stop";

    /** Two scrapes of a store that scrapes each second. */
    private static final Duration AFTER_STOP = Duration.ofSeconds(2);

    /**
     * How long to wait for the last scrape of the metrics: briefly after a stop that the controller
     * asked for, and not at all after an error, or if no process is left to scrape.
     */
    static Duration mostWait(String stopReason) {
      return switch (stopReason) {
        case BY_SCHEDULE -> GeneratorEndpoint.LAST_SCRAPE;
        case STOP -> AFTER_STOP;
        default -> Duration.ZERO;
      };
    }

    void addTo(JsonObject line) {
      line.addProperty("final", true);
      line.addProperty("stop_reason", stopReason);
      line.addProperty("start_epoch_ms", startEpochMillis);
      line.addProperty("workers_ended_early", workersEndedEarly);
      if (!workerError.isEmpty()) {
        line.addProperty("worker_error", workerError);
      }
      if (!metricsError.isEmpty()) {
        line.addProperty("metrics_error", metricsError);
      }
      JsonObject connections = new JsonObject();
      connectionsByHost.forEach(connections::addProperty);
      line.add("connections", connections);
    }
  }
}
