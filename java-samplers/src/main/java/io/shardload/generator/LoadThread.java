package io.shardload.generator;

import io.shardload.workload.Outcome;

/** What one load thread sees of its generator: slices of work, and how the last call went. */
public final class LoadThread {
  private static final long SLICE_NANOS = 100_000_000;

  private final GeneratorProcess process;
  private final Worker<?> worker;
  private boolean started;

  LoadThread(GeneratorProcess process, Worker<?> worker) {
    this.process = process;
    this.worker = worker;
  }

  /**
   * What a slice did.
   *
   * @param over the run has ended for this thread
   */
  public record Slice(long transactions, long errors, boolean over) {}

  /** Works for about 100 ms. */
  public Slice slice() {
    return work(Long.MAX_VALUE);
  }

  /** Works until one transaction has run, but at most for about 100 ms. */
  public Slice single() {
    return work(1);
  }

  private Slice work(long atMost) {
    try {
      if (!started) {
        process.awaitStart();
        started = true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Slice(0, 0, true);
    }
    Worker.Slice slice;
    try {
      slice = worker.work(worker.now() + SLICE_NANOS, atMost);
    } catch (RuntimeException | Error e) {
      process.threadDied(e);
      throw e;
    }
    if (slice.over() && !Thread.currentThread().isInterrupted()) {
      process.threadOver();
    }
    return new Slice(slice.transactions(), slice.errors(), slice.over());
  }

  /** Name of the transaction that ran last. */
  public String lastTransaction() {
    return worker.lastTransaction();
  }

  public Outcome lastOutcome() {
    return worker.lastOutcome();
  }

  /** Duration of the last call. */
  public long lastServiceNanos() {
    return worker.lastServiceNanos();
  }

  /** Obtaining the connection of the last call, or -1 if that did not occur. */
  public long lastConnectNanos() {
    return worker.lastMeasurement().connectNanos();
  }

  /** Search of the last call, or -1. */
  public long lastSearchNanos() {
    return worker.lastMeasurement().searchNanos();
  }
}
