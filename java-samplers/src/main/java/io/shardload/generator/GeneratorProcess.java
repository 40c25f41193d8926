package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.Daemons;
import io.shardload.bundle.BundleFiles;
import io.shardload.keys.RangesLostException;
import io.shardload.metrics.DiskSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final long START_PATIENCE_SECONDS = 60;
  private static final long END_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int PART_DIED = 2;
  private static final String LEASE_LOST = "lease-lost";
  private static final String RECORDS_FAILED = "records-failed";
  private static final String PROLONGED_TOO_LATE = "prolonged-too-late";
  private static final int TICK_MILLIS = 100;
  private static final int TICK_PHASE_MILLIS = 50;
  private static final int TICKS_PER_SECOND = 1000 / TICK_MILLIS;
  private static final long LOOK_MILLIS = TimeUnit.NANOSECONDS.toMillis(Silences.LOOK_NANOS);

  private final RunConfig config;
  private final boolean alone;
  private final MeetingPoint meeting;
  private final Opened opened;
  private final Generator<?> generator;
  private final Optional<DiskSpace> disk;
  private final CountDownLatch allWorkers;
  private final CountDownLatch started = new CountDownLatch(1);
  private final ScheduledExecutorService ticker =
      Executors.newSingleThreadScheduledExecutor(Daemons.named("shardload-recorder"));
  private final ScheduledExecutorService looker =
      Executors.newSingleThreadScheduledExecutor(Daemons.named("shardload-looks"));
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicInteger threadsOver = new AtomicInteger();
  private final AtomicReference<String> firstDeath = new AtomicReference<>("");
  private ScheduledFuture<?> ticks;
  private long ticksSoFar;
  private final AtomicReference<String> stopReason =
      new AtomicReference<>(Generator.End.BY_SCHEDULE);
  private volatile long startEpochMillis;

  private GeneratorProcess(RunConfig config, boolean alone, MeetingPoint meeting, Opened opened) {
    this.config = config;
    this.alone = alone;
    this.meeting = meeting;
    this.opened = opened;
    this.generator = opened.generator();
    this.allWorkers = new CountDownLatch(config.load().workers());
    this.disk =
        meeting.isShared() ? Optional.of(DiskSpace.of(config.directory())) : Optional.empty();
  }

  /**
   * Opens the target and takes possession of this generator's ordinals.
   *
   * @param alone without a controller: the generator does not wait until all workers are ready
   */
  public static GeneratorProcess open(RunConfig config, boolean alone) throws IOException {
    return open(
        config,
        alone,
        new LocalMeeting(config.runId(), config.redisUrl(), config.redisPasswordEnv()));
  }

  /**
   * The same for a generator that meets others.
   *
   * @param meeting belongs to the process from now on, unless this fails
   */
  public static GeneratorProcess open(RunConfig config, boolean alone, MeetingPoint meeting)
      throws IOException {
    CompletableFuture<RangesLostException> lost = new CompletableFuture<>();
    Opened opened = Opened.open(config, alone, meeting, lost);
    GeneratorProcess process = new GeneratorProcess(config, alone, meeting, opened);
    var unused = lost.thenAccept(process::ordinalsLost);
    meeting.onOrder(process::stop, process::prolong);
    return process;
  }

  private void ordinalsLost(RangesLostException e) {
    LOG.log(Level.SEVERE, "no more new ordinals; the run is stopped: {0}", e.getMessage());
    report("target", e.getMessage());
    stop("ordinals-lost");
  }

  private void report(String key, String message) {
    BundleFiles.writeError(config.directory(), config.load().generator(), message);
    meeting.trouble(key, message, PART_DIED);
  }

  /** Prolongs the warm-up by so much in total, as all generators of the run do. */
  private void prolong(long nanos) {
    if (!generator.run().prolongWarmUp(nanos)) {
      report("hosts", "learned too late that the warm-up goes on");
      stop(PROLONGED_TOO_LATE);
    }
  }

  /** A worker for the calling thread. */
  public LoadThread newThread() {
    return new LoadThread(this, generator.newWorker());
  }

  /**
   * Waits until all configured workers are ready; then the run's clock starts for all of them at
   * the same moment.
   */
  void awaitStart() throws InterruptedException {
    allWorkers.countDown();
    // In a user's own JMeter, threads start as its thread group starts them.
    if (!alone
        && started.getCount() > 0
        && !allWorkers.await(START_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      LOG.log(
          Level.SEVERE, "{0} workers are missing; starting without them", allWorkers.getCount());
    }
    startOnce();
    generator.run().sleepUntil(0);
  }

  private synchronized void startOnce() throws InterruptedException {
    if (started.getCount() == 0) {
      return;
    }
    MeetingPoint.Start start = meeting.agreeStart(opened.readiness(), generator.run()::isStopped);
    generator.run().startAt(start.nanoTime());
    startEpochMillis = start.epochMillis();
    // Not at whole seconds, because segments end there; at the same time in all generators.
    long untilStart = TimeUnit.NANOSECONDS.toMillis(start.nanoTime() - System.nanoTime());
    long first = Math.max(0, untilStart - TICK_PHASE_MILLIS) + TICK_MILLIS;
    ticks = ticker.scheduleAtFixedRate(this::tick, first, TICK_MILLIS, TimeUnit.MILLISECONDS);
    if (config.hasFaults()) {
      var unused =
          looker.scheduleWithFixedDelay(
              this::look, Math.max(0, untilStart), LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
    Daemons.start(this::measureHiccups, "shardload-hiccups");
    started.countDown();
  }

  private void look() {
    try {
      generator.look();
      opened.markJournal(generator.run().elapsed());
    } catch (RuntimeException | OutOfMemoryError e) {
      recordsFailed(e);
      looker.shutdown();
    }
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
      if (!generator.run().mayWrite()) {
        stop(LEASE_LOST);
      }
      if (ticksSoFar == 0) {
        generator.begin();
      }
      if (++ticksSoFar % TICKS_PER_SECOND == 0) {
        everySecond();
      } else {
        generator.writePart();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      recordsFailed(e);
      ticks.cancel(false);
    }
  }

  /**
   * Handles a failure to write the run's records. Without records the run is invalid: it ends, and
   * the missing final line makes it invalid.
   */
  public void recordsFailed(Throwable cause) {
    LOG.log(Level.SEVERE, "cannot write the run's records; the run is stopped", cause);
    report("run.directory", "cannot write the run's records: " + cause);
    stop(RECORDS_FAILED);
  }

  private void everySecond() throws IOException {
    opened.flushJournal();
    generator.tick();
    disk.flatMap(DiskSpace::shortage).ifPresent(this::diskIsFull);
  }

  private void diskIsFull(String shortage) {
    if (stopReason.get().equals(Generator.End.BY_SCHEDULE)) {
      stop("disk-full");
      LOG.log(Level.SEVERE, "the run is stopped: {0}", shortage);
      report("run.directory", shortage);
    }
  }

  /** A thread has reached the end of the run. */
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
    stopReason.compareAndSet(Generator.End.BY_SCHEDULE, reason);
    generator.run().stop();
    opened.endpoint().stopWaiting();
  }

  /**
   * Whether the run is far past its planned end: calls in flight and the delivery of the last lines
   * have their own time limits.
   */
  public boolean isOverdue() {
    long patience = 2 * config.load().statementTimeout().toNanos() + END_PATIENCE_NANOS;
    return generator.run().elapsed() > generator.run().endNanos() + patience;
  }

  /** The configuration of the run that this generator executes. */
  public RunConfig config() {
    return config;
  }

  /**
   * Ends the run if {@link #end} has not, and then waits for the last scrape of its metrics. A
   * {@link #stop} ends the waiting.
   */
  @Override
  public void close() {
    try {
      end();
    } finally {
      opened.endpoint().close(Generator.End.mostWait(stopReason.get()));
    }
  }

  /**
   * Writes the last interval and the final ledger line. Call it after the last worker has ended;
   * later calls do nothing.
   */
  public void end() {
    if (ended.getAndSet(true)) {
      return;
    }
    ticker.shutdown();
    looker.shutdown();
    try {
      if (!ticker.awaitTermination(10, TimeUnit.SECONDS)
          || !looker.awaitTermination(10, TimeUnit.SECONDS)) {
        LOG.severe("the recorder thread does not stop");
      }
      if (config.hasFaults()) {
        look();
      }
      opened.closeJournal();
      if (generator.run().isLeaseLost()) {
        stop(LEASE_LOST);
      }
      boolean someEarly = threadsOver.get() < config.load().workers();
      if (someEarly && !generator.run().isScheduleOver()) {
        // In a user's own JMeter, threads may end before the schedule by design.
        stop(alone ? Generator.End.STOP : "threads-ended");
      }
      JsonObject last =
          stopReason.get().equals(RECORDS_FAILED) ? null : generator.finish(howItEnded());
      generator.close();
      if (last != null) {
        meeting.finish(last);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      opened.close();
      meeting.close();
    }
  }

  private Generator.End howItEnded() {
    int endedEarly = alone ? 0 : config.load().workers() - threadsOver.get();
    return new Generator.End(
        stopReason.get(),
        startEpochMillis,
        opened.target().connectionsByHost(),
        endedEarly,
        firstDeath.get(),
        opened.endpoint().error());
  }
}
