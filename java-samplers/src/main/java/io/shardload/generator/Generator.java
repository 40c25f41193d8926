package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.bundle.ArrivalSum;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.Issued;
import io.shardload.generator.meeting.MeetingPoint;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Segment;
import io.shardload.hosts.MachineSampler;
import io.shardload.metrics.IntervalWriter;
import io.shardload.metrics.ProcessUse;
import io.shardload.metrics.Recording;
import io.shardload.metrics.SecondListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

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
  private MachineSampler machine = MachineSampler.off();
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

  /** The run has begun; called once by the thread that calls {@link #tick}, before it does. */
  synchronized void begin() {
    machine.begin(run::now);
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
  synchronized JsonObject finish(GeneratorEnd end) {
    // Threads that JMeter ended between two slices still hold the arrival that they waited for.
    workers.forEach(Worker::giveBack);
    workers.forEach(Worker::handOverBusy);
    long actualEnd = run.close();
    JsonObject sample = sample();
    long now = Math.max(takenNanos, run.elapsed());
    // First, for the last interval reports what became due until the end.
    JsonObject scheduled = scheduled(actualEnd);
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
    ProcessUse use = ProcessUse.now();
    line.addProperty("cpu_ns", use.cpuNanos());
    line.addProperty("gc_ns", use.collectingNanos());
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
}
