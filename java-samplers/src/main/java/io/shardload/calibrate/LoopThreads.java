package io.shardload.calibrate;

import io.shardload.workload.CallFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Threads that share nothing, each with one loop; all are measured together. */
final class LoopThreads {
  private LoopThreads() {}

  /** The loop of one thread until it must stop. */
  @FunctionalInterface
  interface Loop {
    /**
     * Runs it.
     *
     * @param thread from 0
     * @param count how many operations the loop has done so far; the loop sets it
     * @return how many operations it has done in total
     */
    long run(int thread, AtomicLong count, BooleanSupplier stopped) throws CallFailure;
  }

  /** Runs one round with this many threads. */
  static Measured run(int threads, Span span, Loop loop) throws InterruptedException, CallFailure {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    Stop stop = new Stop();
    List<AtomicLong> counts = new ArrayList<>();
    List<Future<Long>> ends = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      AtomicLong count = new AtomicLong();
      int thread = t;
      counts.add(count);
      ends.add(pool.submit(() -> loop.run(thread, count, stop)));
    }
    try {
      Measured window =
          Measured.window(span, () -> counts.stream().mapToLong(AtomicLong::get).sum());
      stop.stopped = true;
      long all = 0;
      for (Future<Long> end : ends) {
        all += end.get();
      }
      return window.withAll(all);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailure failure) {
        throw failure;
      }
      throw new IllegalStateException("the bare loop failed", e.getCause());
    } finally {
      stop.stopped = true;
      pool.shutdownNow();
    }
  }

  private static final class Stop implements BooleanSupplier {
    private volatile boolean stopped;

    @Override
    public boolean getAsBoolean() {
      return stopped;
    }
  }
}
