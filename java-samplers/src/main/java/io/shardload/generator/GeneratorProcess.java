package io.shardload.generator;

import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleLayout;
import io.shardload.driver.Clock;
import io.shardload.driver.Target;
import io.shardload.generator.schedule.LoadConfig;
import io.shardload.generator.schedule.Plan;
import io.shardload.generator.schedule.Schedule;
import io.shardload.keys.FileJournal;
import io.shardload.keys.Journal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.keys.ranges.Ranges;
import io.shardload.keys.ranges.RangesLostException;
import io.shardload.metrics.IntervalWriter;
import io.shardload.metrics.Recording;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A generator in its process: target opened once, ordinals taken, files in the run bundle, a thread
 * that writes once a second. Open it, take as many workers as configured, run each to its end in a
 * thread of its own, close it.
 */
public final class GeneratorProcess implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(GeneratorProcess.class.getName());
  private static final long START_DELAY_NANOS = 50_000_000;
  private static final long START_PATIENCE_SECONDS = 60;
  private static final int TICK_MILLIS = 100;
  private static final int TICKS_PER_SECOND = 1000 / TICK_MILLIS;

  private final RunConfig config;
  private final Target target;
  private final Ranges ranges;
  private final FileJournal journal;
  private final Generator<?> generator;
  private final boolean alone;
  private final CountDownLatch allWorkers;
  private final CountDownLatch started = new CountDownLatch(1);
  private final ScheduledExecutorService ticker =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "shardload-recorder"));
  private final AtomicInteger threadsOver = new AtomicInteger();
  private final AtomicReference<String> firstDeath = new AtomicReference<>("");
  private ScheduledFuture<?> ticks;
  private long ticksSoFar;
  private volatile String stopReason = "schedule";
  private volatile long startEpochMillis;

  private GeneratorProcess(
      RunConfig config,
      Target target,
      Ranges ranges,
      FileJournal journal,
      Generator<?> generator,
      boolean alone) {
    this.config = config;
    this.target = target;
    this.ranges = ranges;
    this.journal = journal;
    this.generator = generator;
    this.alone = alone;
    this.allWorkers = new CountDownLatch(config.load().workers());
  }

  /**
   * Opens the target and takes possession of this generator's ordinals.
   *
   * @param alone without a controller: nobody waits until all workers are there
   */
  public static GeneratorProcess open(RunConfig config, boolean alone) throws IOException {
    Target target = config.driver().open(config.target(), config.session());
    try {
      return open(config, target, config.model(), alone);
    } catch (CallFailure e) {
      target.close();
      throw new IOException("target " + config.target().name() + ": " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      target.close();
      throw e;
    }
  }

  private static <P> GeneratorProcess open(
      RunConfig config, Target target, Model<P> model, boolean alone)
      throws IOException, CallFailure {
    LoadConfig load = config.load();
    long highWater = OwnedStates.highWater(target, model);
    Ownership ownership = new Ownership(load.generator(), load.generators(), highWater);
    CompletableFuture<RangesLostException> lost = new CompletableFuture<>();
    Ranges ranges = GuardedRanges.open(config, target, highWater, lost);
    Plan plan = new Plan(new Schedule(load, config.seed()), config.mix(), config.seed());
    FileJournal journal = target.keepsData() ? journal(config, plan, model, highWater) : null;
    Keys keys =
        new Keys(
            ownership,
            OwnedStates.read(target, model, ownership),
            model.ranks(),
            ranges,
            journal == null ? Journal.NONE : journal);
    Recording recording = Generator.recording(plan);
    IntervalWriter records =
        new IntervalWriter(
            config.directory(),
            load.generator(),
            System.currentTimeMillis(),
            plan.schedule().endNanos(),
            !alone);
    LoadRun<P> run =
        new LoadRun<>(plan, load, model, keys, recording, target.port(model.port()), Clock.SYSTEM);
    GeneratorProcess process =
        new GeneratorProcess(config, target, ranges, journal, new Generator<>(run, records), alone);
    var unused = lost.thenAccept(process::ordinalsLost);
    return process;
  }

  private void ordinalsLost(RangesLostException e) {
    LOG.log(Level.SEVERE, "no more new ordinals; the run is stopped: {0}", e.getMessage());
    BundleFiles.writeError(config.directory(), config.load().generator(), e.getMessage());
    stop("ordinals-lost");
  }

  private static FileJournal journal(RunConfig config, Plan plan, Model<?> model, long highWater)
      throws IOException {
    LoadConfig load = config.load();
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

  /** A worker for the calling thread. */
  public LoadThread newThread() {
    return new LoadThread(this, generator.newWorker());
  }

  /**
   * Waits until all configured workers are there; then the run's clock starts for all of them at
   * the same moment.
   */
  void awaitStart() throws InterruptedException {
    allWorkers.countDown();
    // Threads of a JMeter of somebody's own come as its thread group brings them.
    if (!alone
        && started.getCount() > 0
        && !allWorkers.await(START_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      LOG.log(
          Level.SEVERE, "{0} workers are missing, starting without them", allWorkers.getCount());
    }
    startOnce();
    generator.run().sleepUntil(0);
  }

  private synchronized void startOnce() {
    if (started.getCount() == 0) {
      return;
    }
    generator.run().startAt(Clock.SYSTEM.nanoTime() + START_DELAY_NANOS);
    startEpochMillis = System.currentTimeMillis() + START_DELAY_NANOS / 1_000_000;
    ticks = ticker.scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    ticks = ticker.scheduleAtFixedRate(this::tick, 1000, 1000, TimeUnit.MILLISECONDS);
    daemon(this::measureHiccups, "shardload-hiccups").start();
    started.countDown();
  }

  private void measureHiccups() {
    try {
      new HiccupMeter(generator.run()).measure();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tick() {
    try {
      if (++ticksSoFar % TICKS_PER_SECOND == 0) {
        everySecond();
      } else {
        generator.writePart();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // Without its records a run is worth nothing: it ends, and the missing final line makes it
      // invalid.
      LOG.log(Level.SEVERE, "cannot write the run's records; the run is stopped", e);
      BundleFiles.writeError(
          config.directory(), config.load().generator(), "it cannot write the run's records: " + e);
      stop("records-failed");
      ticks.cancel(false);
    }
  }

  private void everySecond() throws IOException {
    if (journal != null) {
      journal.flush();
    }
    generator.tick();
  }

  /** A thread has come to the end of the run. */
  void threadOver() {
    threadsOver.incrementAndGet();
  }

  /** A thread cannot go on; the others do. */
  void threadDied(Throwable cause) {
    LOG.log(Level.SEVERE, "a worker died: {0}", cause.toString());
    firstDeath.compareAndSet("", cause.toString());
  }

  /**
   * Ends the run now, gracefully.
   *
   * @param reason for the final ledger line; the first one counts
   */
  public void stop(String reason) {
    if (stopReason.equals("schedule")) {
      stopReason = reason;
    }
    generator.run().stop();
  }

  /** The configuration that it was opened with. */
  public RunConfig config() {
    return config;
  }

  /**
   * Writes the last interval and the final ledger line. Call it after the last worker has ended.
   */
  @Override
  public void close() {
    ticker.shutdown();
    try {
      if (!ticker.awaitTermination(10, TimeUnit.SECONDS)) {
        LOG.severe("the recorder thread does not end");
      }
      if (journal != null) {
        journal.close();
      }
      boolean someEarly = threadsOver.get() < config.load().workers();
      if (someEarly && !generator.run().isScheduleOver()) {
        // JMeter ended its threads before the schedule did, in a JMeter of one's own by design.
        stop(alone ? "stop" : "threads-ended");
      }
      if (!stopReason.equals("records-failed")) {
        generator.finish(end());
      }
      generator.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ranges.close();
      target.close();
    }
  }

  private GeneratorEnd end() {
    int endedEarly = alone ? 0 : config.load().workers() - threadsOver.get();
    return new GeneratorEnd(
        stopReason, startEpochMillis, target.connectionsByHost(), endedEarly, firstDeath.get());
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
