package io.shardload.driver;

import io.shardload.Daemons;
import io.shardload.workload.CallFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Loads numbered rows by some threads at a time, in pieces. A piece that fails ends the load; the
 * pieces that were written stay.
 */
public final class ParallelLoad {
  /** What each thread does: it writes pieces as long as it can {@link #take} one. */
  @FunctionalInterface
  public interface Writer {
    void write(ParallelLoad pieces) throws CallFailure;
  }

  private final AtomicLong next;
  private final long end;
  private final int pieceRows;
  private final int mostThreads;
  private final LongConsumer progress;
  private long written;

  /**
   * @param end number after the last row
   * @param mostThreads fewer if there are fewer pieces
   * @param progress called by several threads, but by one at a time
   */
  public ParallelLoad(long from, long end, int pieceRows, int mostThreads, LongConsumer progress) {
    this.next = new AtomicLong(from);
    this.end = end;
    this.pieceRows = pieceRows;
    this.mostThreads = mostThreads;
    this.progress = progress;
  }

  /**
   * Returns when all rows are written.
   *
   * @throws CallFailure a piece failed, or this thread was interrupted
   */
  public void run(Writer writer) throws CallFailure {
    long pieces = (end - next.get() + pieceRows - 1) / pieceRows;
    int threads = (int) Math.min(pieces, mostThreads);
    if (threads < 2) {
      write(writer);
      return;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads, Daemons.named("load"));
    try {
      ExecutorCompletionService<Void> ends = new ExecutorCompletionService<>(pool);
      List<Future<Void>> all = new ArrayList<>();
      Callable<Void> work = () -> write(writer);
      for (int i = 0; i < threads; i++) {
        all.add(ends.submit(work));
      }
      for (int i = 0; i < all.size(); i++) {
        ends.take().get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "the load was interrupted");
    } catch (ExecutionException e) {
      throw cause(e);
    } finally {
      stop(pool);
    }
  }

  private static CallFailure cause(ExecutionException e) {
    if (e.getCause() instanceof CallFailure failure) {
      return failure;
    }
    if (e.getCause() instanceof RuntimeException own) {
      // An exception of the row generator, which has the best message.
      throw own;
    }
    throw new IllegalStateException("cannot write rows", e.getCause());
  }

  /** No thread takes another piece, and the last piece under way has ended when this returns. */
  private void stop(ExecutorService pool) {
    next.set(end);
    pool.shutdown();
    boolean interrupted = Thread.interrupted();
    while (!pool.isTerminated()) {
      try {
        pool.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Void write(Writer writer) throws CallFailure {
    try {
      writer.write(this);
      return null;
    } catch (CallFailure | RuntimeException e) {
      next.set(end);
      throw e;
    }
  }

  /** The number of the first row of the next piece; the end if there is none. */
  public long take() {
    return next.getAndUpdate(at -> at >= end ? at : at + pieceRows);
  }

  /** So many more rows have been written. */
  public synchronized void written(long more) {
    written += more;
    progress.accept(written);
  }
}
