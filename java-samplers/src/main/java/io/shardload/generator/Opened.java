package io.shardload.generator;

import io.shardload.bundle.BundleLayout;
import io.shardload.driver.Clock;
import io.shardload.driver.Header;
import io.shardload.driver.SharedMachine;
import io.shardload.driver.Target;
import io.shardload.exposition.GeneratorEndpoint;
import io.shardload.exposition.MetricsConfig;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.hosts.MachineSampler;
import io.shardload.keys.FileJournal;
import io.shardload.keys.Journal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.keys.Ranges;
import io.shardload.keys.RangesLostException;
import io.shardload.metrics.IntervalWriter;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a generator's process has opened before its run begins.
 *
 * @param journal null if the target keeps no data, or its documents are not tracked
 * @param endpoint is not closed with the others: it outlives the run for a last scrape
 */
record Opened(
    Target target,
    Ranges ranges,
    FileJournal journal,
    Generator<?> generator,
    GeneratorEndpoint endpoint,
    MeetingPoint.Readiness readiness)
    implements AutoCloseable {

  /**
   * Opens the target and takes possession of the generator's ordinals.
   *
   * @param alone without a controller that follows the files
   * @param lost completed when no more ordinals can be handed out
   */
  static Opened open(
      RunConfig config,
      boolean alone,
      MeetingPoint meeting,
      CompletableFuture<RangesLostException> lost)
      throws IOException {
    Target target = config.driver().open(config.target(), config.session());
    try {
      return open(config, target, config.model(), alone, meeting, lost);
    } catch (CallFailure e) {
      target.close();
      throw new IOException("target " + config.target().name() + ": " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      target.close();
      throw e;
    }
  }

  private static <P> Opened open(
      RunConfig config,
      Target target,
      Model<P> given,
      boolean alone,
      MeetingPoint meeting,
      CompletableFuture<RangesLostException> lost)
      throws IOException, CallFailure {
    LoadConfig load = config.load();
    Model<P> model = given.ready(target);
    Optional<Header> header = meeting.isShared() ? own(config, target) : marked(config, target);
    long highWater = OwnedStates.highWater(target, model);
    long owned = model.followsDocuments() ? highWater : 0;
    Ownership ownership = new Ownership(load.generator(), load.generators(), owned);
    // Generators that do not meet cannot agree on it.
    boolean agrees = meeting.isShared() || load.generators() == 1;
    long mostProlonged = agrees ? load.mostProlongedNanos() : 0;
    Schedule schedule = new Schedule(load, config.seed()).prolongable(mostProlonged);
    Plan plan = new Plan(schedule, config.mix(), config.seed());
    Ranges ranges = GuardedRanges.open(config, target, header, highWater, meeting, lost);
    try {
      FileJournal journal = journal(config, target, plan, highWater);
      Keys keys =
          new Keys(
              ownership,
              OwnedStates.read(target, model, ownership),
              model.ranks(),
              ranges,
              journal == null ? Journal.NONE : journal);
      LoadRun<P> run =
          new LoadRun<>(
              plan,
              load,
              model,
              keys,
              Generator.recording(plan),
              target.port(model.port()),
              Clock.SYSTEM);
      IntervalWriter records = records(config, plan, !alone && !meeting.isShared());
      MeetingPoint.Readiness readiness = readiness(config, target, plan, header, highWater);
      Generator<P> generator = new Generator<>(run, records, meeting);
      generator.sample(
          config.samplesMachine() ? MachineSampler.ofThisMachine() : MachineSampler.off());
      // Last, because nothing after it can fail.
      GeneratorEndpoint endpoint =
          alone ? GeneratorEndpoint.off() : endpoint(config, run, meeting.isShared());
      generator.listen(endpoint);
      return new Opened(target, ranges, journal, generator, endpoint, readiness);
    } catch (CallFailure | IOException | RuntimeException e) {
      ranges.close();
      throw e;
    }
  }

  /**
   * The header of the data set, which must name this run: a generator that returns after the run
   * was settled must not write.
   */
  private static Optional<Header> own(RunConfig config, Target target)
      throws IOException, CallFailure {
    if (!OwnedStates.recorded(target, config.model())) {
      return Optional.empty();
    }
    Optional<Header> header = target.dataSets().header();
    String writer = header.map(Header::dirtyRun).orElse("");
    if (!writer.equals(config.runId())) {
      throw new IOException(
          "target %s: the data set is not marked for run %s: it %s"
              .formatted(
                  config.target().name(),
                  config.runId(),
                  header.isEmpty()
                      ? "has no header"
                      : writer.isEmpty() ? "is clean" : "is marked for run " + writer));
    }
    return header;
  }

  /** The header if the data set is marked for this run, as by its controller. */
  private static Optional<Header> marked(RunConfig config, Target target) throws CallFailure {
    return OwnedStates.recorded(target, config.model())
        ? target.dataSets().header().filter(header -> header.dirtyRun().equals(config.runId()))
        : Optional.empty();
  }

  private static MeetingPoint.Readiness readiness(
      RunConfig config, Target target, Plan plan, Optional<Header> header, long highWater)
      throws CallFailure {
    boolean shares =
        SharedMachine.current()
            .holds(target.dataHosts(), SharedMachine.hosts(config.target().url()));
    return new MeetingPoint.Readiness(
        plan.hash(), highWater, header.map(Header::generation).orElse(-1L), shares);
  }

  private static IntervalWriter records(RunConfig config, Plan plan, boolean followed)
      throws IOException {
    return new IntervalWriter(
        config.directory(),
        config.load().generator(),
        System.currentTimeMillis(),
        plan.schedule().endNanos(),
        followed);
  }

  private static GeneratorEndpoint endpoint(RunConfig config, LoadRun<?> run, boolean shared) {
    MetricsConfig metrics = config.metrics();
    // A store cannot find an unconfigured port on another machine.
    if (metrics == null || (shared && metrics.port() == 0)) {
      return GeneratorEndpoint.off();
    }
    Map<String, String> labels =
        Map.of(
            "run_id", config.runId(),
            "target", config.target().name(),
            "workload", config.workload(),
            "profile", config.profile(),
            "generator", Integer.toString(config.load().generator()));
    return GeneratorEndpoint.open(
        metrics,
        labels,
        run.plan.mix().names(),
        shared,
        run.load.open() ? run::dueByTransaction : null);
  }

  private static FileJournal journal(RunConfig config, Target target, Plan plan, long highWater)
      throws IOException {
    LoadConfig load = config.load();
    Model<?> model = config.model();
    if (!target.keepsData() || !model.followsDocuments()) {
      return null;
    }
    double writes = plan.mostPerSecond(name -> model.transaction(name).writes());
    Path file = new BundleLayout(config.directory()).journal(load.generator());
    Files.createDirectories(file.getParent());
    return new FileJournal(
        file,
        new JournalHeader(
            load.generator(),
            load.generators(),
            highWater,
            load.open() ? writes / load.generators() : -1,
            load.workers(),
            config.runId()));
  }

  void flushJournal() throws IOException {
    if (journal != null) {
      journal.flush();
    }
  }

  /** Adds the time since the start of the run to the journal. */
  void markJournal(long nanos) {
    if (journal != null) {
      journal.mark(nanos);
    }
  }

  void closeJournal() throws IOException {
    if (journal != null) {
      journal.close();
    }
  }

  @Override
  public void close() {
    ranges.close();
    target.close();
  }
}
